//! Ordinary members: their parts begin with any block, and refer to what is before them.
//!
//! The tools of the parent's header write them; flate2 makes the odd ones. `is_decoded` demands the data on any number
//! of threads. Add a tool to the list of `members_of_all_tools_are_decoded_side_by_side`.

use super::*;

/// Data of which each tool makes several parts, also for two workers, whose parts have 768 KiB at least.
fn long() -> Vec<u8> {
    let parts = [
        plain::text(2_400_000),
        plain::random(600_000),
        vec![0; 1_000_000],
        plain::text(1_400_000),
        plain::text(60_000).repeat(12),
        plain::text(1_200_000),
    ];
    parts.concat()
}

#[test]
fn members_of_all_tools_are_decoded_side_by_side() {
    let data = long();
    for command in [
        "gzip -1",
        "gzip -6",
        "gzip -9",
        "pigz -p2",
        "pigz -p2 -b 1024",
        "pigz -p2 -i -b 32",
        "pigz -p1 -H",
        "pigz -p1 -U",
        "libdeflate-gzip -1",
        "libdeflate-gzip -12",
        "igzip -0",
        "igzip -1",
        "igzip -3",
        "zopfli",
    ] {
        let (line, data) = match command {
            // It takes its time, and reads nothing but files.
            "zopfli" => {
                ("f=$(mktemp) && cat >$f && zopfli --i1 -c $f && rm $f".into(), &data[2_100_000..3_000_000])
            }
            _ => (format!("{command} -c"), &data[..]),
        };
        let coded = pipe(&line, data);
        is_decoded(&coded, data, command);
        // One of each tool: what is between two members does not depend on the level.
        let some = ["gzip -6", "pigz -p2", "pigz -p2 -i -b 32", "libdeflate-gzip -1", "igzip -1", "zopfli"];
        if some.contains(&command) || is_exhaustive() {
            let all = [&coded[..], &coded].concat();
            is_decoded(&all, &data.repeat(2), &format!("{command}, twice"));
        }
    }
}

#[test]
fn streams_of_zlib_with_any_strategy() {
    let data = long();
    // Windows of other sizes, fixed codes and little memory for symbols, which makes for short blocks.
    let python = "import sys,zlib; l,w,m,s=map(int,sys.argv[1:]); c=zlib.compressobj(l,8,w,m,s); \
                  i=sys.stdin.buffer.read(); o=sys.stdout.buffer; o.write(c.compress(i)); o.write(c.flush())";
    for settings in ["6 31 8 0", "1 25 1 0", "9 28 9 1", "6 31 8 2", "6 31 8 3", "6 31 9 4"] {
        let coded = pipe(&format!("python3 -c '{python}' {settings}"), &data);
        is_decoded(&coded, &data, settings);
    }
}

#[test]
fn data_that_never_forgets_its_beginning() {
    // Every part consists of what came at the very first, again and again.
    let mut random = Random(3);
    let words: Vec<Vec<u8>> = (0..2000).map(|_| (0..7).map(|_| random.next() as u8).collect()).collect();
    let data: Vec<u8> = (0..1_200_000).flat_map(|_| words[random.below(2000) as usize].clone()).collect();
    let coded = pipe("gzip -6 -c", &data);
    assert!(coded.len() > 2 << 20, "{}", coded.len());
    is_decoded(&coded, &data, "words");
}

#[test]
fn a_member_stored_in_a_member_is_data() {
    let inner = pipe("gzip -6 -c", &long());
    for command in ["pigz -p1 -0 -c", "gzip -1 -c", "igzip -0 -c"] {
        let stored = pipe(command, &inner);
        is_decoded(&stored, &inner, command);
        is_decoded(&pipe(command, &stored), &stored, &format!("{command} twice"));
    }
}

#[test]
fn ratios_beyond_all_memory() {
    // The first part has nothing but zeros.
    let data = [vec![0; 280 << 20], plain::text(2 << 20), vec![b'x'; 20 << 20]].concat();
    let coded = pipe("gzip -9 -c", &data);
    for (threads, from, (back, result)) in [
        (1, "memory", from_memory(&coded, 1)),
        (2, "a reader", dribbled(&coded, 2, 70_000)),
        (3, "a file", from_file(&coded, 3)),
        (8, "memory", from_memory(&coded, 8)),
    ] {
        assert!(result.is_ok() && back == data, "from {from} on {threads} threads: {result:?}");
    }
}

/// What is written before an error is right, and the error is the same on any number of threads.
fn is_refused_alike(coded: &[u8], data: &[u8], what: &str) {
    let told = |result: &Result<(), Error>| result.as_ref().map_err(ToString::to_string).unwrap_err();
    let (back, alone) = from_memory(coded, 1);
    assert!(data.starts_with(&back), "{what}: wrong bytes on one thread");
    for (threads, step) in [(2, usize::MAX), (4, 100_000)] {
        for (back, result) in [dribbled(coded, threads, step), from_memory(coded, threads)] {
            assert_eq!(told(&result), told(&alone), "{what} on {threads} threads");
            assert!(data.starts_with(&back), "{what}: wrong bytes on {threads} threads, of {}", back.len());
        }
    }
}

#[test]
fn a_member_cut_anywhere_is_found_out() {
    let data = plain::text(8_000_000);
    let coded = pipe("gzip -6 -n -c", &data);
    let mut random = Random(5);
    for _ in 0..25 {
        let end = 11 + random.below(coded.len() as u64 - 11) as usize;
        is_refused_alike(&coded[..end], &data, &format!("cut at {end}"));
    }
}

#[test]
fn a_block_that_refers_to_what_is_before_the_beginning() {
    // What is inside of a stream is made to be all of it: its first matches reach back too far.
    let data = plain::text(4_000_000);
    let body = flushed(data.chunks(1_000_000), 6, FlushCompress::Sync);
    let at = body.windows(4).position(|bytes| bytes == [0, 0, 0xff, 0xff]).unwrap() + 4;
    for empty in [0, 1, 2 * PART_LEN / 5, 6 * PART_LEN / 5] {
        let stream = [&EMPTY_STORED.repeat(empty), &body[at..]].concat();
        let coded = member(&stream, &data[1_000_000..]);
        let (back, error) = from_memory(&coded, 1);
        assert!(error.is_err());
        for threads in [2, 3] {
            let (several, result) = from_memory(&coded, threads);
            assert_eq!(result.unwrap_err().to_string(), error.as_ref().unwrap_err().to_string());
            assert!(several.starts_with(&back) || back.starts_with(&several));
        }
    }
}
