//! The extension module `pzcomp._pzcomp`: what the Python package `pzcomp` does in Rust.
//!
//! The Python files in `pzcomp/` have the public names. They call the classes and functions here: `Decoder` and
//! `Encoder` are the raw ends of files, `whole.rs` has the functions that take all of their input at once, and
//! `context.rs` the contexts for many short payloads. All work is done without the lock of the interpreter (GIL). The
//! lock is taken only to call methods of file objects, to enlarge a result, and now and then to let the handlers of
//! signals run.

mod context;
mod decoder;
mod detached;
mod encoder;
mod errors;
mod map;
mod memory;
mod parts;
mod recovery;
mod settings;
mod signals;
mod source;
mod whole;

use pyo3::prelude::*;

#[pymodule]
fn _pzcomp(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<context::Compressor>()?;
    module.add_class::<context::Decompressor>()?;
    module.add_class::<context::Dictionary>()?;
    module.add_class::<decoder::Decoder>()?;
    module.add_class::<encoder::Encoder>()?;
    module.add_function(wrap_pyfunction!(whole::compress, module)?)?;
    module.add_function(wrap_pyfunction!(whole::decompress, module)?)?;
    module.add_function(wrap_pyfunction!(whole::frames, module)?)?;
    module.add_function(wrap_pyfunction!(whole::read_at, module)?)?;
    module.add_function(wrap_pyfunction!(whole::write_index, module)?)?;
    module.add_function(wrap_pyfunction!(recovery::protect, module)?)?;
    module.add_function(wrap_pyfunction!(recovery::repair, module)?)?;
    module.add_function(wrap_pyfunction!(parts::parts, module)?)?;
    module.add_function(wrap_pyfunction!(parts::read_part, module)?)?;
    module.add_function(wrap_pyfunction!(parts::compress_part, module)?)?;
    module.add_function(wrap_pyfunction!(parts::joined_index, module)?)?;
    module.add_function(wrap_pyfunction!(settings::check_writing, module)?)?;
    module.add_function(wrap_pyfunction!(settings::suffixes, module)?)?;
    Ok(())
}
