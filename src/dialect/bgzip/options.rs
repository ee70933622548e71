//! The table of options of bgzip.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the table and makes the
//! help and the man page from it. Texts in it are texts for users.

use super::{Args, messages};
use crate::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use crate::request::{Target, Task};

pub(super) static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress files in the BGZF format",
    usage: &["[OPTIONS] [FILE] ..."],
    about: "bgzip compresses each FILE to FILE.gz and removes FILE, on all cores. With -d it decompresses. Without FILE, \
            it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Letters,
    rules: Rules::GetoptLong,
    notes: &[],
    variables: &[],
    statuses: &[("0", "success"), ("1", "an error")],
    version: |args| messages::version(args.called.program),
    misuse: |args, misuse| messages::misuse(args.called, &misuse),
};

const OPTIONS: &[Opt<Args>] = &[
    option("-b --offset", "decompress from this byte of the data on; this needs the index").parsed(
        "INT",
        |args, offset| {
            args.offset = Some(args.number("offset", &offset)?);
            args.request.task = Task::Decompress;
            Ok(())
        },
    ),
    option("-c --stdout", texts::STDOUT).flag(|args| args.stdout = true),
    option("-d --decompress", "decompress").flag(|args| args.request.task = Task::Decompress),
    option("-f --force", "overwrite files").flag(|args| args.request.rules.force = true),
    refused(
        "-g/--rebgzip",
        "blocks cannot be cut where an index says; -i makes an index of the blocks as they are",
    ),
    help("-h -? --help"),
    option("-i --index", "compress, and make an index").flag(|args| args.index = true),
    option("-I --index-name", "name of the index; the default is the name of the output with .gzi behind it")
        .value("FILE", |args, name| args.index_name = Some(name.into())),
    option("-k --keep", texts::KEEP).flag(|args| args.keep = true),
    option("-l --compress-level", "level: 0 to 9, or -1 for the default").parsed("INT", Args::set_level),
    option("-o --output", "write to FILE and keep the input files").value("FILE", |args, file| {
        match file == "-" {
            true => args.stdout = true,
            false => args.request.target = Target::File(file.into()),
        }
    }),
    option("-r --reindex", "make an index of a compressed file").flag(|args| args.reindex = true),
    option("-s --size", "decompress this number of bytes").parsed("INT", |args, size| {
        args.size = Some(args.number("size", &size)?);
        Ok(())
    }),
    option("-t --test", "test compressed files")
        .flag(|args| (args.request.task, args.reindex) = (Task::Test, false)),
    option("-@ --threads", texts::THREADS).parsed("INT", |args, threads| {
        args.request.options.threads = args.number("number of threads", &threads)?;
        Ok(())
    }),
    version("--version"),
    // pzcomp does not align blocks with lines. bgzip before 1.19 does not either.
    no_effect(Takes::Nothing, "--binary"),
    no_effect(Takes::Value, "--verbosity"),
];
