//! Options: names and values of the caller become the options of the library.

use std::ffi::{c_char, c_int};
use std::time::Duration;

use pzcomp::{Check, Decode, Dictionary, Encode, EncodeBuilder, Format, Unknown};

use crate::border::{Handle, bytes, exclusive, give, shared, take, text};
use crate::errors::{Failure, object, quiet, status};

/// What the caller has set. Each value is checked when it is set, and all together when they are used.
#[derive(Clone, Default)]
pub struct Chosen {
    format: Option<Format>,
    accept: Option<Format>,
    layout: Option<&'static str>,
    check: Option<Check>,
    dictionary: Option<Dictionary>,
    numbers: [Option<i64>; NUMBERS.len()],
}

pub(crate) type Options = Handle<Chosen>;

/// The options that are numbers, with their least and their greatest values.
const NUMBERS: [(&str, i64, i64); 10] = [
    ("level", -65_537, 100),
    ("threads", 0, 4096),
    ("memory", 0, i64::MAX),
    ("block_size", 1, 1 << 30),
    ("index", 0, 1),
    ("extreme", 0, 1),
    ("idle", 0, 1),
    ("flush_milliseconds", 1, 86_400_000),
    ("max_output", 0, i64::MAX),
    ("ignore_trailing", 0, 1),
];
const LAYOUTS: [&str; 5] = ["frames", "single", "bgzf", "pzstd", "alone"];
const CHECKS: [(&str, Check); 4] =
    [("none", Check::None), ("crc32", Check::Crc32), ("crc64", Check::Crc64), ("sha256", Check::Sha256)];

/// The error of a name that is none of these.
fn unknown(kind: &str, name: &str, names: &[&str]) -> Failure {
    Failure::invalid(format!("no {kind} has the name {name:?}; the names are {}", names.join(", ")))
}

impl Chosen {
    fn number(&self, name: &str) -> Option<i64> {
        NUMBERS.iter().zip(self.numbers).find_map(|((of, ..), number)| number.filter(|_| *of == name))
    }

    fn flag(&self, name: &str) -> bool {
        self.number(name) == Some(1)
    }

    fn set_number(&mut self, name: &str, value: i64) -> Result<(), Failure> {
        let Some(at) = NUMBERS.iter().position(|(of, ..)| *of == name) else {
            return Err(unknown("number", name, &NUMBERS.map(|(name, ..)| name)));
        };
        let (_, least, most) = NUMBERS[at];
        if !(least..=most).contains(&value) {
            return Err(Failure::invalid(format!("{name} is {least} to {most}, not {value}")));
        }
        self.numbers[at] = Some(value);
        Ok(())
    }

    fn set_text(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        let format = || {
            let names: Vec<&str> = Format::all().map(|format| format.name()).collect();
            value.parse().map_err(|_| unknown("format", value, &names))
        };
        match name {
            "format" => self.format = Some(format()?),
            "accept" => self.accept = Some(format()?),
            "layout" => {
                let layout = LAYOUTS.into_iter().find(|layout| *layout == value);
                self.layout = Some(layout.ok_or_else(|| unknown("layout", value, &LAYOUTS))?);
            }
            "check" => {
                let check = CHECKS.into_iter().find(|(name, _)| *name == value);
                self.check =
                    Some(check.ok_or_else(|| unknown("check", value, &CHECKS.map(|check| check.0)))?.1);
            }
            _ => return Err(unknown("text", name, &["format", "accept", "layout", "check"])),
        }
        Ok(())
    }

    fn encode(&self) -> Result<Encode, Failure> {
        let mut options: EncodeBuilder = Encode::builder(self.format.unwrap_or(Format::Zstd));
        // The table has the limits, so the numbers fit.
        if let Some(level) = self.number("level") {
            options = options.level(level as i32);
        }
        if let Some(len) = self.number("block_size") {
            options = options.block_size(len as usize);
        }
        if let Some(bytes) = self.number("memory") {
            options = options.memory(bytes as u64);
        }
        if let Some(milliseconds) = self.number("flush_milliseconds") {
            options = options.flush_interval(Duration::from_millis(milliseconds as u64));
        }
        options = match self.layout {
            Some("single") => options.single(),
            Some("bgzf") => options.bgzf(),
            Some("pzstd") => options.pzstd(),
            Some("alone") => options.alone(),
            _ => options,
        };
        if let Some(check) = self.check {
            options = options.check(check);
        }
        if let Some(dictionary) = &self.dictionary {
            options = options.dictionary(dictionary.clone());
        }
        options = options
            .threads(self.number("threads").unwrap_or(0) as usize)
            .index(self.number("index") != Some(0))
            .extreme(self.flag("extreme"))
            .idle(self.flag("idle"));
        Ok(options.build()?)
    }

    fn decode(&self) -> Result<Decode, Failure> {
        let mut options = Decode::builder().threads(self.number("threads").unwrap_or(0) as usize);
        if let Some(format) = self.accept {
            options = options.accept(&[format]);
        }
        if let Some(bytes) = self.number("memory") {
            options = options.memory(bytes as u64);
        }
        if let Some(bytes) = self.number("max_output") {
            options = options.max_output(bytes as u64);
        }
        if let Some(dictionary) = &self.dictionary {
            options = options.dictionary(dictionary.clone());
        }
        if self.flag("ignore_trailing") {
            options = options.unknown(Unknown::Ignore);
        }
        Ok(options.idle(self.flag("idle")).build()?)
    }
}

/// The options for writing.
///
/// # Safety
/// The pointer is NULL or comes from [`pz_options_new`].
pub(crate) unsafe fn writing(options: *const Options) -> Result<Encode, Failure> {
    match options.is_null() {
        true => Chosen::default().encode(),
        // SAFETY: the caller's promise.
        false => unsafe { shared(options, "options")? }.encode(),
    }
}

/// The options for reading.
///
/// # Safety
/// As for [`writing`].
pub(crate) unsafe fn reading(options: *const Options) -> Result<Decode, Failure> {
    match options.is_null() {
        true => Chosen::default().decode(),
        // SAFETY: the caller's promise.
        false => unsafe { shared(options, "options")? }.decode(),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pz_options_new() -> *mut Options {
    object(|| Ok(give(Chosen::default())))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_options_number(options: *mut Options, name: *const c_char, value: i64) -> c_int {
    status(|| {
        // SAFETY: the header says what the pointers are.
        let (options, name) = unsafe { (exclusive(options, "options")?, text(name, "name")?) };
        options.set_number(&name.to_string_lossy(), value)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_options_text(
    options: *mut Options,
    name: *const c_char,
    value: *const c_char,
) -> c_int {
    status(|| {
        // SAFETY: the header says what the pointers are.
        let (options, name, value) =
            unsafe { (exclusive(options, "options")?, text(name, "name")?, text(value, "value")?) };
        options.set_text(&name.to_string_lossy(), &value.to_string_lossy())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_options_bytes(
    options: *mut Options,
    name: *const c_char,
    data: *const u8,
    length: usize,
) -> c_int {
    status(|| {
        // SAFETY: the header says what the pointers are.
        let (options, name, data) =
            unsafe { (exclusive(options, "options")?, text(name, "name")?, bytes(data, length)?) };
        match &*name.to_string_lossy() {
            "dictionary" => options.dictionary = Some(Dictionary::new(data.to_vec())?),
            other => return Err(unknown("option of bytes", other, &["dictionary"])),
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_options_free(options: *mut Options) {
    quiet(|| {
        // SAFETY: the header says what the pointer is.
        drop(unsafe { take(options, "options")? });
        Ok(())
    });
}
