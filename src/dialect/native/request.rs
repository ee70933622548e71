//! What pzcomp's own flags ask for: the request that is made of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use pzcomp::{Adapt, Format, Layout, Member, Tar, Unknown, WINDOW_LIMIT, printable};

use super::super::super::request::{
    Expected, FileRules, Folder, Mode, Options, Origin, Recompress, Reporting, Request, SeekWork, Source,
    Sparse, Suffixes, Target, Task, Verbosity, ZstdOptions,
};
use super::super::super::side;
use super::super::Action;
use super::super::zstd::{EXCLUDED, dictionary};
use super::flags::{ExpectedEnd, Flags};
use super::{LONG, conflicts};

/// Higher levels of zstd take many times the memory, also to decompress.
const SENSIBLE: i32 = 19;

impl Flags {
    pub(super) fn action(mut self) -> Result<Action, String> {
        let mut bench = std::mem::take(&mut self.bench);
        if bench.bench {
            bench.json = self.reporting.json.take();
        }
        let (named, format, level) = (!self.files.is_empty(), self.format, self.level());
        let request = self.request()?;
        match bench.bench {
            true => bench.request(request, named, format, level).map(Box::new).map(Action::Bench),
            false => Ok(Action::Work(Box::new(request))),
        }
    }

    fn request(mut self) -> Result<Request, String> {
        if let ([file], true) = (&self.files[..], self.test)
            && let Some(protected) = file.to_str().and_then(|file| file.strip_suffix(side::RECORDS))
            && Path::new(protected).is_file()
        {
            // The file of recovery records is tested against its file.
            self.files = vec![protected.into()];
            self.mending.check_by_records();
            self.test = false;
        }
        let mode = match (self.list, self.test, self.decompress) {
            (true, ..) => Mode::List,
            (_, true, _) => Mode::Test,
            _ if self.to.is_some() => Mode::Recode,
            (.., true) => Mode::Decompress,
            _ => Mode::Compress,
        };
        conflicts::check(&self, mode)?;
        let task = self.task(mode);
        let mode = task.mode();
        let block_size = self.block_size.map(usize::try_from).transpose();
        let window_len = self.long.map(|log| 1_u64 << log);
        let is_compression = mode.writes_coded();
        let reads_coded = mode != Mode::Compress;
        let dictionary = self.habits.dictionary.as_deref().map(dictionary::read).transpose();
        let (dictionary, dictionary_file) = dictionary.map_err(|(_, what)| what)?.unzip();
        // As gzip and zstd do.
        let is_whole = match &task {
            Task::Seek(work) => matches!(work, SeekWork::Extract(_)),
            task => !matches!(task, Task::Salvage(_)),
        };
        let copies = mode == Mode::Decompress && self.force && self.stdout && is_whole;
        let mut options = Options {
            unknown: if copies { Unknown::CopyWhole } else { Unknown::default() },
            check: self.habits.check().filter(|_| is_compression),
            rsyncable: self.habits.rsyncable && is_compression,
            expect_end: self.expect_end == Some(ExpectedEnd::Index),
            entry: self.archives.entry(&task),
            format: self.format_to_write(),
            level: self.level(),
            threads: self.threads,
            block_size: block_size.map_err(|_| {
                "the block size does not fit into the address space of this machine".to_owned()
            })?,
            memory: self.memory,
            window_log: self.long.filter(|_| is_compression),
            // With a limit for all memory, windows have what is left of it.
            window_limit: window_len
                .filter(|&len| len > WINDOW_LIMIT && reads_coded && self.memory.is_none()),
            flush_interval: self.flush_interval.filter(|_| is_compression),
            adapt: self.adapt.filter(|_| is_compression),
            tar: if is_compression { self.archives.tar() } else { Tar::Never },
            align_lines: self.align.is_some() && is_compression,
            buffer: self.buffer.unwrap_or(0),
            no_index: self.no_index,
            recovery: self.mending.records().filter(|_| is_compression),
            drop_cache: self.drop_cache,
            idle: self.idle,
            zstd: ZstdOptions {
                fixed_parameters: self.fixed_parameters && is_compression,
                dictionary,
                ..ZstdOptions::default()
            },
            layout: if self.one_member { Layout::Single(Member::new()) } else { Layout::Frames },
            ..Options::default()
        };
        if let (Some(adapt), Some(level)) = (options.adapt, options.level) {
            check_first_level(level, adapt)?;
        }
        let expected = match (self.expect_tail, self.expect_end) {
            (Some(pattern), _) => Some(Expected::Tail { shown: pattern.to_string(), pattern }),
            (None, Some(kind)) => kind.of_plain()?,
            (None, None) => None,
        };
        let (output, files) = match self.output_template {
            Some(template) => (Some(filled(&template, &self.files)?), Vec::new()),
            None => (self.output, self.files),
        };
        let target = match output {
            Some(path) if path.as_os_str() == "-" => Target::Stdout,
            Some(path) if path.is_dir() => {
                let path = path.display();
                return Err(format!(
                    "-o {path}: is a directory; name a file in it, or use --output-dir {path}"
                ));
            }
            Some(path) => Target::File(path),
            None if self.stdout => Target::Stdout,
            None => Target::Beside,
        };
        let sources = match self.exec {
            true => vec![Source::Command(files)],
            false => self.habits.sources(files)?,
        };
        // A pipe may break between two frames. A file has its name only if it is whole.
        options.short_index = match &target {
            Target::Stdout => true,
            Target::Beside => sources.iter().any(|source| !matches!(source, Source::Path(_))),
            Target::File(_) => false,
        };
        let mut notes = Vec::new();
        if let Some(log) = self.long.filter(|&log| log > LONG && is_compression) {
            notes.push(format!(
                "note: readers need --long={log} or enough memory (-M) for frames that are longer than 128 MiB"
            ));
        }
        if self.idle && !system::priority::HAS_IDLE_CLASS {
            notes.push("note: --idle has no effect: this system has no idle class for normal users".into());
        }
        if self.drop_cache && !system::cache::DROPS {
            notes
                .push("note: --drop-cache has no effect: this system cannot drop the pages of a file".into());
        }
        notes.retain(|_| !self.quiet);
        let excluded = if self.habits.exclude_compressed { EXCLUDED } else { &[] };
        Ok(Request {
            mends: mode != Mode::Compress && !matches!(task, Task::Salvage(_) | Task::Recovery(_)),
            task,
            options,
            sources,
            folder: self.habits.output_dir.map(|path| Folder { path, mirror: self.recursive }),
            dictionary: dictionary_file,
            origin: Origin { name: self.habits.name, time: self.habits.name, ..Origin::default() },
            expected,
            target,
            suffixes: Suffixes {
                custom: self.suffix,
                excluded,
                recompress: Recompress::NamedWithForce,
                ..Suffixes::default()
            },
            rules: FileRules {
                force: self.force,
                remove: self.rm,
                // The output must be on disk before the input is removed.
                sync: self.rm || self.synchronous,
                sparse: if self.sparse { Sparse::Always } else { Sparse::Never },
                recursive: self.recursive,
                fifos: self.fifos,
                pass_over_side_files: mode != Mode::Compress,
                existing_is_error: true,
                ..FileRules::default()
            },
            verify: self.verify,
            no_sandbox: self.no_sandbox,
            reporting: Reporting {
                verbosity: Verbosity { quiet: self.quiet, verbose: self.verbose },
                notes,
                ..self.reporting.reporting()?
            },
            ..Request::default()
        })
    }

    /// What is done with the inputs. `mode` is what `-d`, `-t`, `-l` and `--to` ask for.
    fn task(&self, mode: Mode) -> Task {
        let seek = self.places.work(mode).map(Task::Seek);
        let salvage = || self.damage.work(mode).map(Task::Salvage);
        let recovery = || self.mending.work().map(Task::Recovery);
        let members = || self.archives.members(mode).map(Task::Seek);
        self.habits
            .training()
            .or(seek)
            .or_else(salvage)
            .or_else(recovery)
            .or_else(members)
            .or_else(|| self.archives.streamed(mode))
            .unwrap_or(mode.into())
    }

    /// The format of coded output. `--to` counts more than `-F`, which may stand in the environment variable, and both
    /// more than the suffix of `-o`.
    pub(super) fn format_to_write(&self) -> Format {
        let compresses = !(self.decompress || self.test || self.list);
        let output = self.output.as_ref().or(self.output_template.as_ref());
        let output = output.filter(|_| compresses).and_then(|path| path.to_str());
        let named = || output.and_then(format_of);
        self.to.or(self.format).or_else(named).unwrap_or_default()
    }

    fn level(&self) -> Option<i32> {
        let format = self.format_to_write();
        let levels = format.levels();
        match self.fast {
            Some(fast) if format.fast_levels().is_some() => Some(-fast),
            // Level 0 of gzip does not compress.
            Some(_) if format == Format::Gzip => Some(1),
            Some(_) => Some(*levels.start()),
            None if self.best => Some(SENSIBLE.min(*levels.end())),
            None => self.level,
        }
    }
}

/// The format of a suffix, if pzcomp writes it.
fn format_of(name: &str) -> Option<Format> {
    let has = |format: &Format| format.suffixes().iter().any(|(suffix, _)| name.ends_with(suffix));
    Format::all().find(has)
}

/// Fails if the level to begin with, which the user has asked for, is none of those that adapt.
fn check_first_level(level: i32, adapt: Adapt) -> Result<(), String> {
    // Without limits, the levels that take many times the memory do not adapt.
    let highest = adapt.max.or((adapt.min.is_none_or(|min| min <= SENSIBLE)).then_some(SENSIBLE));
    let (which, limit, other) = match (adapt.min, highest) {
        (Some(lowest), _) if level < lowest => ("lowest", lowest, "min"),
        (_, Some(highest)) if level > highest => ("highest", highest, "max"),
        _ => return Ok(()),
    };
    Err(format!(
        "level {level} is none of the levels of --adapt, of which {limit} is the {which}; begin with another level, or \
         use --adapt={other}={level}"
    ))
}

/// The template of an output path with the only one of `words` in the place of `{}`.
fn filled(template: &Path, words: &[OsString]) -> Result<PathBuf, String> {
    const PLACE: &[u8] = b"{}";
    let [word] = words else {
        return Err("--output-template needs exactly one argument, which takes the place of {}".into());
    };
    let (word, mut rest) = (word.as_encoded_bytes(), template.as_os_str().as_encoded_bytes());
    if word.is_empty() || word.contains(&b'/') || word == b"." || word == b".." {
        let word = printable(word);
        return Err(format!(
            "'{word}' cannot take the place of {{}} in --output-template: it is no part of a file name"
        ));
    }
    let (mut path, mut places) = (Vec::new(), 0);
    while let Some(at) = rest.windows(PLACE.len()).position(|here| here == PLACE) {
        path.extend_from_slice(&rest[..at]);
        path.extend_from_slice(word);
        rest = &rest[at + PLACE.len()..];
        places += 1;
    }
    if places == 0 {
        return Err("--output-template has no {}, so every argument would give the same file".into());
    }
    path.extend_from_slice(rest);
    if path == b"-" {
        return Err("--output-template gives the name -, which is standard output".into());
    }
    Ok(system::name::from_bytes(path).into())
}
