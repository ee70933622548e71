//! Several inputs to one output with `-o`: zstd asks first, because the output does not tell which input its parts
//! come from.
//!
//! `Args::request` calls [`confirm`] before the work. The inputs are kept in any case.

use std::os::unix::ffi::OsStrExt;

use pzcomp::printable;

use super::super::Refusal;
use crate::report::{print_line, print_text};
use crate::request::{Request, Source, Target};
use crate::tool::Name;

/// Asks the user if there are several inputs, and makes sure that they are kept. Fails if the answer is no, or if the
/// question cannot be asked.
pub(super) fn confirm(called: &Name, request: &mut Request, display_level: i32) -> Result<(), Refusal> {
    let Target::File(path) = &request.target else {
        return Ok(());
    };
    let is_folder = |source: &Source| matches!(source, Source::Path(path) if path.is_dir());
    let are_several =
        request.sources.len() > 1 || request.rules.recursive && request.sources.iter().any(is_folder);
    if !are_several {
        return Ok(());
    }
    let is_kept = std::mem::take(&mut request.rules.remove);
    request.rules.sync = false;
    if request.rules.force {
        return Ok(());
    }
    let refuse = |text: &str| Err(Refusal { text: text.into(), code: 1 });
    if display_level < super::DISPLAY_LEVEL {
        let text =
            "Concatenating multiple processed inputs into a single output loses file metadata. \nAborting. ";
        return refuse(if display_level > 0 { text } else { "" });
    }
    let program = called.program;
    print_line(format_args!(
        "{program}: WARNING: all input files will be processed and concatenated into a single output file: {} \n\
         The concatenated output CANNOT regenerate original file names nor directory structure. ",
        printable(path.as_os_str().as_bytes())
    ));
    if is_kept {
        print_line("Since it's a destructive operation, input files will not be removed. ");
    }
    if request.sources.contains(&Source::Stdin) {
        return refuse("stdin is an input - not proceeding.");
    }
    print_text("Proceed? (y/n): ");
    let mut answer = String::new();
    match std::io::stdin().read_line(&mut answer) {
        Ok(_) if answer.starts_with(['y', 'Y']) => Ok(()),
        _ => refuse("Aborting... "),
    }
}
