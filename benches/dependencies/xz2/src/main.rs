//! Does one piece of work with xz2, for the program `dependencies`.
//!
//! `xz2-alone WORK DATA LEN` takes the first LEN bytes of the file DATA. WORK is `xz -1`, `xz -6` or `xz -d`. It prints
//! the nanoseconds that the work took, and the size of the output.

use std::env;
use std::error::Error;
use std::fs;
use std::io::Read;
use std::time::Instant;

use xz2::bufread::{XzDecoder, XzEncoder};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [work, file, len] = &args[..] else {
        return Err("expected three arguments: WORK DATA LEN".into());
    };
    let data = fs::read(file)?;
    let data = data.get(..len.parse()?).ok_or("the file is shorter")?;
    let (start, size);
    match &work[..] {
        "xz -d" => {
            let mut coded = Vec::new();
            XzEncoder::new(data, 6).read_to_end(&mut coded)?;
            start = Instant::now();
            size = read(XzDecoder::new(&coded[..]))?;
        }
        _ => {
            let level = work.trim_start_matches("xz -").parse()?;
            start = Instant::now();
            size = read(XzEncoder::new(data, level))?;
        }
    }
    println!("{} {size}", start.elapsed().as_nanos());
    Ok(())
}

/// Reads to the end, and returns the number of bytes.
fn read(mut reader: impl Read) -> Result<usize, Box<dyn Error>> {
    let (mut buffer, mut size) = (vec![0; 1 << 20], 0);
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(size),
            len => size += len,
        }
    }
}
