//! Programs on Windows: in jobs.

use std::io::{Error, Result};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::{Child, Command, ExitStatus};

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};

/// How a user lets a process have more threads.
pub const MORE: &str = "end other programs";

/// Why the system finds no program, and what to do.
pub const NOT_FOUND: &str = "there is no such program; check its name, and PATH if the name has no \\";

/// What to do if the rights of a file deny that it is run.
pub const NOT_ALLOWED: &str = "check that it is a program that you may run";

/// A program to end, with all that it has started.
#[derive(Debug)]
pub struct Running {
    /// When it is closed, also because this process ends, the programs in it end.
    job: OwnedHandle,
}

/// Starts a program. What it starts in its first moment may be outside of the job.
pub fn start(command: &mut Command) -> Result<(Child, Running)> {
    let job = job()?;
    let mut child = command.spawn()?;
    // SAFETY: both handles are open.
    let is_in = unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) != 0 };
    if !is_in && child.try_wait()?.is_none() {
        let error = Error::last_os_error();
        let _ = child.kill();
        return Err(error);
    }
    Ok((child, Running { job }))
}

fn job() -> Result<OwnedHandle> {
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    // SAFETY: the first call takes no name and no rights. The job belongs to nothing else, and the second call reads
    // the structure, of which it has the length.
    unsafe {
        let job = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        if job.is_null() {
            return Err(Error::last_os_error());
        }
        let job = OwnedHandle::from_raw_handle(job);
        let (place, len) = ((&raw const limits).cast(), size_of_val(&limits) as u32);
        match SetInformationJobObject(job.as_raw_handle(), JobObjectExtendedLimitInformation, place, len) {
            0 => Err(Error::last_os_error()),
            _ => Ok(job),
        }
    }
}

impl Running {
    /// Ends the program and all in its job. Windows has no signal that asks for it.
    pub fn end(&self) {
        // SAFETY: the job is open.
        unsafe { TerminateJobObject(self.job.as_raw_handle(), 1) };
    }
}

/// How a program has failed.
pub fn describe(status: ExitStatus) -> String {
    status.code().map_or_else(|| "failed".into(), |code| format!("failed with exit status {code}"))
}
