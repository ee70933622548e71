//! Several inputs into one output: zstd asks first, because nothing tells afterwards what came from where.

use std::io::Write;

use super::super::super::name::Name;
use super::super::super::report::say;
use super::super::super::request::{Request, Source, Target};
use super::super::Refusal;

/// Asks, if need be, and sees to it that the inputs are kept.
pub(super) fn check(called: &Name, request: &mut Request, loudness: i32) -> Result<(), Refusal> {
    let Target::File(path) = &request.target else {
        return Ok(());
    };
    let is_folder = |source: &Source| matches!(source, Source::Path(path) if path.is_dir());
    let are_several = request.sources.len() > 1 || request.recursive && request.sources.iter().any(is_folder);
    if !are_several {
        return Ok(());
    }
    let is_kept = std::mem::take(&mut request.remove);
    request.sync = false;
    if request.force {
        return Ok(());
    }
    let refuse = |text: &str| Err(Refusal { text: text.into(), code: 1 });
    if loudness < super::LOUDNESS {
        let text =
            "Concatenating multiple processed inputs into a single output loses file metadata. \nAborting. ";
        return refuse(if loudness > 0 { text } else { "" });
    }
    let program = called.program;
    say(format_args!(
        "{program}: WARNING: all input files will be processed and concatenated into a single output file: {} \n\
         The concatenated output CANNOT regenerate original file names nor directory structure. ",
        path.display()
    ));
    if is_kept {
        say("Since it's a destructive operation, input files will not be removed. ");
    }
    if request.sources.contains(&Source::Stdin) {
        return refuse("stdin is an input - not proceeding.");
    }
    // Whether anybody can read it changes nothing.
    let _ = write!(std::io::stderr(), "Proceed? (y/n): ");
    let mut answer = String::new();
    match std::io::stdin().read_line(&mut answer) {
        Ok(_) if answer.starts_with(['y', 'Y']) => Ok(()),
        _ => refuse("Aborting... "),
    }
}
