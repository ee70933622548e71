//! Functions that are looked up by their names while the program runs.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// Where the program or one of its libraries has this name. Windows would have to be asked library by library.
pub fn find(name: &CStr) -> Option<NonNull<c_void>> {
    #[cfg(not(windows))]
    // SAFETY: the name ends with a zero, and the call only searches.
    return NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) });
    #[cfg(windows)]
    {
        let _ = name;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_there_are_found() {
        // A static program with musl has no names.
        assert_eq!(find(c"malloc").is_some(), !cfg!(any(windows, target_env = "musl")));
        assert_eq!(find(c"there is no such function"), None);
    }
}
