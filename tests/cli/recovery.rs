//! `--recovery`, `--protect` and `--repair`: files with recovery records, damaged and mended.
//!
//! There is no peer: the tests make the files. Random damage of streams is tested in `crates/recovery/tests/`.

use pzcomp::{Decode, Decompress, Error};

use crate::common::flipped;
use crate::harness::{Folder, finish, text};

/// How often something random is tried: as often as this, or `RECOVERY_TRIALS` times.
fn trials(short: u64) -> u64 {
    std::env::var("RECOVERY_TRIALS").ok().and_then(|count| count.parse().ok()).unwrap_or(short)
}

/// Numbers that look random, the same in each run.
fn random(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % end
}

/// Zeros in place of some bytes.
fn damage(folder: &Folder, name: &str, at: usize, len: usize) -> Vec<u8> {
    let whole = folder.read(name);
    let mut damaged = whole.clone();
    damaged[at..at + len].fill(0);
    assert!(damaged != whole);
    folder.write(name, damaged);
    whole
}

#[test]
fn a_file_with_records_inside_is_mended_and_read_in_passing() {
    for (format, suffix) in [("zstd", "zst"), ("gzip", "gz"), ("lz4", "lz4")] {
        let (folder, plain) = (Folder::new(), text(900_000));
        let name = format!("dump.{suffix}");
        let coded = folder.pipe(&format!("-F {format} -b 60K -p2 --recovery"), &plain).fine();
        folder.write(&name, &coded);
        folder.run(&format!("-t {name}")).fine();
        folder.run(&format!("-q --repair {name}")).fine();
        assert!(!folder.has(&format!("{name}.damaged")), "nothing was damaged");

        let whole = damage(&folder, &name, coded.len() / 3, 700);
        folder.run(&format!("-t {name}")).says(1, &["is damaged, and can be repaired: pzcomp --repair"]);
        folder.run(&format!("-d --rm {name}")).says(2, &["its recovery records gave back what is missing"]);
        assert!(folder.read("dump") == plain && folder.has(&name), "{format}");
        folder.run(&format!("--repair -o new {name}")).says(0, &["is repaired, and all of it is verified"]);
        assert!(folder.read("new") == whole, "{format}");
        folder.run(&format!("--repair {name}")).says(0, &["is kept as"]);
        assert!(folder.read(&name) == whole && folder.has(&format!("{name}.damaged")));
        folder.run(&format!("-t {name}")).fine();

        // Missing and new bytes, and no end.
        let moved = [&whole[..5000], b"new", &whole[5000..20_000], &whole[20_100..whole.len() - 9]].concat();
        folder.write(&name, moved);
        folder.run(&format!("--repair --rm {name}")).says(0, &["shards at another place"]);
        assert!(folder.read(&name) == whole, "{format}");
    }
}

#[test]
fn any_file_is_protected_beside_it() {
    let (folder, plain) = (Folder::new(), text(300_000));
    folder.write("any", &plain);
    folder.run("--protect any").fine();
    folder.run("--protect any").says(2, &["any.pzr"]);
    folder.run("--protect --check any").fine();
    let records = damage(&folder, "any.pzr", 100, 30);
    folder
        .run("--protect --check any")
        .says(1, &["1 recovery records damaged", "can be repaired with --repair"]);
    folder.run("--repair --rm any").says(0, &["any"]);
    assert!(folder.read("any.pzr") == records && folder.read("any") == plain);

    damage(&folder, "any", 70_000, 9_000);
    folder.run("--protect --check any").says(1, &["can be repaired with --repair"]);
    folder.run("--repair any").says(0, &["is repaired"]);
    assert!(folder.read("any") == plain);
    folder.write("any", &plain[..plain.len() - 8000]);
    folder.run("--repair any").says(2, &["any.damaged"]);
    folder.run("--repair -f any").says(0, &["is repaired"]);
    assert!(folder.read("any") == plain);
}

#[test]
fn more_damage_than_the_share_makes_no_file() {
    let (folder, plain) = (Folder::new(), text(900_000));
    folder.write("dump.zst", folder.pipe("-b 60K --recovery=1", &plain).fine());
    damage(&folder, "dump.zst", 10_000, 30_000);
    let damaged = folder.read("dump.zst");
    let lines = ["more would be needed", "no new file is made; pzcomp -d --salvage"];
    folder.run("--repair dump.zst").says(2, &lines);
    folder.run("--repair -o new dump.zst").says(2, &lines);
    assert!(!folder.has("new") && !folder.has("dump.zst.damaged") && folder.read("dump.zst") == damaged);
    folder.write("none.zst", folder.pipe("", &plain).fine());
    folder.run("--repair none.zst").says(1, &["has no recovery records"]);
}

/// Bytes without records may be data that nobody has protected: they are kept if they are whole, and are never left
/// out.
#[test]
fn data_without_records_is_not_left_out() {
    for (format, suffix) in [("zstd", "zst"), ("gzip", "gz"), ("lz4", "lz4")] {
        let folder = Folder::new();
        let coded =
            |options: &str, plain: &[u8]| folder.pipe(&format!("-F {format} {options}"), plain).fine();
        let (protected, other) = (coded("--recovery", &text(200_000)), coded("", &text(150_000)));
        let (small, last) = (coded("--recovery", b"a part of few bytes"), coded("--recovery", &text(90_000)));
        let name = format!("joined.{suffix}");
        let refused = |joined: Vec<u8>| {
            folder.write(&name, &joined);
            folder
                .run(&format!("--repair --rm {name}"))
                .says(2, &["belong to no data with recovery records"]);
            assert!(folder.read(&name) == joined && !folder.has(&format!("{name}.damaged")));
            assert_ne!(
                folder.run(&format!("-d -o plain {name}")).status.code(),
                Some(2),
                "mended in passing"
            );
        };
        for at in [0, 1, other.len() / 2] {
            refused([&protected[..], &flipped(&other, at, 1)].concat());
            refused([&flipped(&other, at, 1), &protected[..]].concat());
        }
        refused([&protected[..], &vec![0; small.len()], &last].concat());

        // It is kept if it is whole.
        let whole = [&protected[..], &other, &last].concat();
        folder.write(&name, [&flipped(&protected, 50_000, 1)[..], &other, &flipped(&last, 3, 1)].concat());
        folder.run(&format!("--repair --rm {name}")).says(0, &["is repaired"]);
        assert!(folder.read(&name) == whole, "{format}");
    }
}

/// The seek table lists records between frames, which a range over several frames passes.
#[test]
fn a_range_goes_on_behind_records() {
    for format in ["zstd", "gzip", "lz4"] {
        let (folder, plain) = (Folder::new(), text(400_000));
        folder.write(
            "coded",
            folder.pipe(&format!("-F {format} -b 20K --recovery --recovery-span 64K"), &plain).fine(),
        );
        for range in [0..400_000, 10_000..350_000, 19_999..20_001] {
            let read = folder.run(&format!("-dc --range {}-{} coded", range.start, range.end)).fine();
            assert!(read == plain[range.clone()], "{format} {range:?}");
        }
    }
}

#[test]
fn repair_takes_files_only() {
    let (folder, plain) = (Folder::new(), text(200_000));
    folder.write("a.zst", folder.pipe("--recovery", &plain).fine());
    folder.run("--repair -o - a.zst").says(1, &["not to standard output"]);
    folder.fifo("a.zst.pzr");
    let whole = damage(&folder, "a.zst", 900, 40);
    folder.run("--repair --rm a.zst").says(0, &["is repaired"]);
    assert!(folder.read("a.zst") == whole);

    // Records of another file hide nothing.
    std::fs::remove_file(folder.path("a.zst.pzr")).unwrap();
    folder.write("other", text(70_000));
    folder.run("--protect other -o a.zst.pzr").fine();
    damage(&folder, "a.zst", 900, 40);
    folder.run("--repair --rm a.zst").says(0, &["is repaired"]);
    assert!(folder.read("a.zst") == whole);
}

#[test]
fn records_are_refused_where_frames_have_no_room_and_the_other_way_is_named() {
    let folder = Folder::new();
    for options in ["--one-member -F gzip", "-F xz", "-F bzip2", "-F lzip", "-F snappy"] {
        folder.pipe(&format!("{options} --recovery"), b"abc").says(1, &["pzcomp --protect FILE"]);
    }
    folder.run("--repair").says(1, &["--repair needs the names of files"]);
    folder.pipe("--recovery=101", b"").says(1, &["expected 0.5 to 100"]);
    folder.pipe("--recovery-span 1M", b"").says(1, &["--recovery-span needs --recovery or --protect"]);
}

#[test]
fn the_records_are_the_same_on_all_threads_and_in_every_way_to_write_them() {
    let (folder, plain) = (Folder::new(), text(700_000));
    let options = "-b 50K --recovery=10 --recovery-span 64K";
    let one = folder.pipe(&format!("-p1 {options}"), &plain).fine();
    folder.write("plain", &plain);
    folder.run(&format!("-p4 --verify {options} plain")).fine();
    assert!(folder.read("plain.zst") == one);
    folder.write("plain.gz", folder.pipe("-F gzip", &plain).fine());
    let recoded = folder.run(&format!("--to zstd {options} -c plain.gz"));
    assert!(recoded.stdout == one);
    let range = folder.run("-dc --range 300000-300100 plain.zst");
    assert!(range.stdout == plain[300_000..300_100]);
    folder.run("-l plain.zst").fine();
}

/// Groups that can be mended are, and of the others all frames that are intact are kept.
#[test]
fn a_salvage_uses_what_records_can_mend() {
    for (format, suffix) in [("zstd", "zst"), ("gzip", "gz"), ("lz4", "lz4")] {
        let (folder, plain) = (Folder::new(), text(900_000));
        let name = format!("dump.{suffix}");
        let options = format!("-F {format} -b 10K --recovery=2 --recovery-span 64K");
        let coded = folder.pipe(&options, &plain).fine();
        let mut damaged = coded.clone();
        // The first group is beyond repair. A flipped bit in another one costs no frame.
        damaged[8_000..20_000].fill(0);
        let at = coded.len() - 40_000;
        damaged[at] ^= 1;
        folder.write(&name, &damaged);
        let lines =
            ["groups beyond repair: 1; the recovery records gave back the others", "lost: coded bytes"];
        folder.run(&format!("-d --salvage --fill zero -o kept {name}")).says(2, &lines);
        folder.run(&format!("-t --salvage {name}")).says(2, &lines);
        let kept = folder.read("kept");
        let is_same = |(one, other): &(&u8, &u8)| one == other;
        let before = kept.iter().zip(&plain).take_while(is_same).count();
        let behind = kept.iter().rev().zip(plain.iter().rev()).take_while(is_same).count();
        assert!(before > 1000 && behind > 400_000, "{format}: {before}, {behind}");

        // All of it is had again if all groups can be mended.
        damaged[8_000..20_000].copy_from_slice(&coded[8_000..20_000]);
        folder.write(&name, &damaged);
        let run = folder.run(&format!("-dc --salvage {name}"));
        assert!(run.stdout == plain, "{format}");
        run.says(2, &["its recovery records gave back what is missing"]);

        // If the end is missing, the groups before it are mended.
        let cut = flipped(&coded[..coded.len() - 30_000], coded.len() - 100_000, 1);
        folder.write(&name, &cut);
        let run = folder.run(&format!("-dc --salvage {name}"));
        assert!(plain.starts_with(&run.stdout) && run.stdout.len() > plain.len() / 4 * 3, "{format}");
        run.says(2, &["its end is missing; the recovery records mended what is before"]);
        folder
            .run(&format!("--repair -o new {name}"))
            .says(2, &["its end is missing, or no recovery record"]);
        assert!(!folder.has("new"));
    }
}

#[test]
fn a_list_shows_the_share_and_the_groups() {
    let (folder, plain) = (Folder::new(), text(900_000));
    for (format, index) in
        [("zstd", ""), ("gzip", ""), ("lz4", ""), ("zstd", "--no-index"), ("gzip", "--no-index")]
    {
        let options = format!("-F {format} -b 10K --recovery=10 --recovery-span 64K {index}");
        folder.write("coded", folder.pipe(&options, &plain).fine());
        folder.write("none", folder.pipe(&format!("-F {format}"), &plain).fine());
        let list = |name: &str| String::from_utf8(folder.run(&format!("-l {name}")).fine()).unwrap();
        let repair = pzcomp::recovery::Repair::new(&Decode::default());
        let groups = repair.examine(&folder.read("coded")).unwrap().groups;
        assert!(groups > 3);
        let shown = format!("% in {groups}  coded");
        assert!(list("coded").contains(&shown), "{format} {index}: {} {shown}", list("coded"));
        assert!(list("coded").lines().next().is_some_and(|header| header.ends_with("recovery    name")));
        assert!(!list("none").contains("recovery"));
    }
}

#[test]
fn errors_name_the_way_to_mend() {
    let (folder, plain) = (Folder::new(), text(600_000));
    folder.write("a.gz", folder.pipe("-F gzip -b 60K --recovery", &plain).fine());
    damage(&folder, "a.gz", 30_000, 300);
    let advice = ["is damaged, and can be repaired: pzcomp --repair a.gz"];
    for options in ["-t", "-dc", "--to zstd -o new.zst", "-dc --range 1-90000", "--index -f"] {
        let run = folder.run(&format!("{options} a.gz"));
        assert!(!folder.has("new.zst"));
        run.says(1, &advice);
    }
    let coded = folder.read("a.gz");
    folder
        .pipe("-dc", &coded)
        .says(1, &["written with --recovery", "save it to a file, and pzcomp --repair"]);
    let junk = folder.pipe("-dc", b"no compressed data at all");
    assert!(!junk.stderr.contains("--repair"));
    junk.says(1, &["not in a compressed format"]);
}

/// Whenever a repair ends, the name leads to the old file or to the whole new one.
#[test]
fn a_repair_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let (folder, plain) = (Folder::new(), text(5_000_000));
    let whole = folder.pipe("-1 -b 100K --recovery", &plain).fine();
    let mut damaged = whole.clone();
    damaged[100_000..100_300].fill(0);
    let (mut new_files, mut state) = (0, 259);
    for trial in 0..trials(24) {
        let delay = random(&mut state, 120_000) as u64;
        folder.write("dump.zst", &damaged);
        let _ = std::fs::remove_file(folder.path("dump.zst.damaged"));
        let mut repair = folder.command(["-q", "-p2", "--repair", "dump.zst"]).spawn().unwrap();
        // The result is the same at each moment. The last ones may end by themselves.
        std::thread::sleep(std::time::Duration::from_micros(delay));
        repair.kill().unwrap();
        repair.wait().unwrap();
        let left = folder.read("dump.zst");
        assert!(left == damaged || left == whole, "trial {trial}: killed after {delay}");
        new_files += u64::from(left == whole);
        if folder.has("dump.zst.damaged") {
            assert!(folder.read("dump.zst.damaged") == damaged, "killed after {delay}");
        }
    }
    folder.write("dump.zst", &damaged);
    folder.run("-f --repair dump.zst").says(0, &["is repaired"]);
    let killed = trials(24) - new_files;
    assert!(folder.read("dump.zst") == whole && killed > 0, "{new_files} were not killed in time");
}

/// Parts are made apart and joined in any order: some with records, of any format, and some damaged.
#[test]
fn random_parts_that_are_joined_are_mended_or_left_as_they_are() {
    for (format, suffix) in [("zstd", "zst"), ("gzip", "gz"), ("lz4", "lz4")] {
        let (folder, name, mut state) = (Folder::new(), format!("joined.{suffix}"), 34);
        let mut parts = Vec::new();
        for (len, options) in [
            (200, "--recovery"),
            (40_000, "--recovery -b 4K"),
            (40_000, "--recovery=20 --no-index"),
            (700_000, "--recovery -b 10K --recovery-span 64K"),
            (300_000, "--recovery=100 -b 100K"),
            (50_000, "-b 5K"),
        ] {
            // Random text, so that coded data is as long as in dumps.
            let plain: Vec<u8> = (0..len).map(|_| b"0123456789abcdef"[random(&mut state, 16)]).collect();
            parts.push((folder.pipe(&format!("-F {format} {options}"), &plain).fine(), plain));
        }
        for trial in 0..trials(12) {
            let count = 2 + random(&mut state, 3);
            let (mut whole, mut plain) = (Vec::new(), Vec::<u8>::new());
            let mut damages: Vec<(usize, usize)> = Vec::new();
            let mut has_records = false;
            for _ in 0..count {
                let number = random(&mut state, parts.len());
                let (coded, its_plain) = &parts[number];
                has_records |= number < 5;
                if number < 5 && random(&mut state, 2) == 0 {
                    damages.push((number, whole.len() + random(&mut state, coded.len() - 16)));
                }
                whole.extend(coded);
                plain.extend(its_plain);
            }
            let mut damaged = whole.clone();
            damages
                .iter()
                .for_each(|&(_, at)| damaged[at..at + 16].iter_mut().for_each(|byte| *byte ^= 0x55));
            folder.write(&name, &damaged);
            let run = folder.run(&format!("--repair --rm {name}"));
            let what = format!("{format}, trial {trial}, {count} parts, {damages:?}: {run:?}");
            if damages.is_empty() || !has_records {
                assert!(folder.read(&name) == whole, "{what}");
                continue;
            }
            // 16 bytes may be all that names a short part.
            let is_short = damages.iter().any(|&(number, _)| number == 0);
            let left = folder.read(&name);
            assert!(left == whole || is_short && left == damaged, "{what}");
            if left == whole {
                assert!(folder.run(&format!("-dc {name}")).fine() == plain, "{what}");
            }
        }
    }
}

/// Equal parts have equal records, so records alone do not say to which part they belong.
#[test]
fn a_lost_record_of_one_of_three_equal_parts_is_noticed() {
    for (format, suffix) in [("zstd", "zst"), ("gzip", "gz"), ("lz4", "lz4")] {
        let folder = Folder::new();
        for (plain, options) in [(text(300), ""), (text(40_000), ""), (text(40_000), "--no-index")] {
            let coded = folder.pipe(&format!("-F {format} --recovery {options}"), &plain).fine();
            let (name, whole) = (format!("joined.{suffix}"), coded.repeat(3));
            let first = coded.windows(4).position(|here| here == b"\x9bPZR").unwrap();
            for part in 0..3 {
                let mut damaged = whole.clone();
                damaged[part * coded.len() + first..][..40].fill(0);
                folder.write(&name, &damaged);
                folder.run(&format!("--repair --rm {name}")).says(0, &["1 recovery records damaged"]);
                assert!(folder.read(&name) == whole, "{format}, part {part}");
            }
        }
    }
}

/// The table of a part may be longer than any record.
#[test]
fn a_list_counts_the_groups_of_all_joined_parts() {
    let (folder, plain, zeros) = (Folder::new(), text(900_000), vec![0; 36_000_000]);
    for format in ["zstd", "gzip", "lz4"] {
        let coded = |options: &str, plain: &[u8]| {
            folder.pipe(&format!("-F {format} --recovery --recovery-span 64K {options}"), plain).fine()
        };
        let (long, short) = (coded("-1 -b 4K", &zeros), coded("-b 10K", &plain));
        let unlisted = coded("-b 10K --no-index", &plain);
        for parts in [[&long, &long, &short], [&short, &long, &unlisted], [&unlisted, &short, &long]] {
            folder.write("coded", parts.map(|part| &part[..]).concat());
            let repair = pzcomp::recovery::Repair::new(&Decode::default());
            let coded = folder.read("coded");
            let groups = repair.examine(&coded).unwrap().groups;
            assert_eq!(repair.summarise(&coded).unwrap().groups, groups, "{format}");
            let list = String::from_utf8(folder.run("-l coded").fine()).unwrap();
            assert!(list.contains(&format!("% in {groups}  coded")), "{format}: {list}");
        }
    }
}

/// A pipe is not read again, so only advice is left.
#[test]
fn a_cut_pipe_is_advised_to_be_repaired_if_recovery_goes_with_its_format() {
    let folder = Folder::new();
    for (format, may_have_records) in [("zstd", true), ("gzip", true), ("xz", false), ("bzip2", false)] {
        let mut coded = folder.pipe(&format!("-F {format}"), text(300_000)).fine();
        coded.truncate(coded.len() / 2);
        let run = folder.pipe("-t", coded);
        assert_eq!(
            (run.status.code(), run.stderr.contains("--repair")),
            (Some(1), may_have_records),
            "{format}"
        );
    }
}

#[test]
fn protect_and_check_take_every_file_of_a_folder_and_miss_those_that_are_gone() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("tree")).unwrap();
    folder.write("tree/plain", text(300_000));
    folder.write("tree/a.zst", folder.pipe("", text(200_000)).fine());
    folder.run("--protect -r tree").fine();
    assert!(folder.has("tree/plain.pzr") && folder.has("tree/a.zst.pzr"));
    folder.run("--protect --check -r tree").fine();
    damage(&folder, "tree/plain", 70_000, 9_000);
    folder.run("--protect --check -r tree").says(1, &["tree/plain: is damaged, and can be repaired"]);
    folder.run("--repair --check tree/plain").says(1, &["cannot be used with"]);
    folder.run("--repair --rm tree/plain").says(0, &["is repaired"]);
    std::fs::remove_file(folder.path("tree/a.zst")).unwrap();
    let gone = "tree/a.zst.pzr: the file of these recovery records, tree/a.zst, is not there";
    for mending in ["--protect --check -r tree", "--protect -f -r tree"] {
        folder.run(mending).says(1, &[gone]);
    }
    assert!(!folder.has("tree/a.zst.pzr.pzr"));
}

#[test]
fn records_and_indexes_beside_files_are_passed_over_and_used() {
    let folder = Folder::new();
    let plain = text(300_000);
    std::fs::create_dir_all(folder.path("tree/sub")).unwrap();
    let coded = folder.pipe("-b 64K", &plain).fine();
    folder.write("tree/a.zst", &coded);
    folder.write("tree/sub/b.zst", &coded);
    folder.run("--protect -r tree").fine();
    folder.run("--index tree/a.zst").fine();
    assert!(folder.has("tree/a.zst.pzr") && folder.has("tree/sub/b.zst.pzr"));
    folder.run("--protect --check -r tree").fine();
    let all = "tree/a.zst tree/a.zst.pzi tree/a.zst.pzr tree/sub/b.zst tree/sub/b.zst.pzr";
    for args in ["-t -r tree".to_owned(), format!("-t {all}"), "-t tree/a.zst.pzr".into()] {
        folder.run(&args).fine();
    }
    let listed = String::from_utf8(folder.run(&format!("-l {all}")).fine()).unwrap();
    assert_eq!(listed.matches("tree/").count(), 2, "{listed}");
    assert_eq!(folder.run(&format!("-dc {all}")).fine(), [&plain[..], &plain].concat());
    // The records mend what is damaged.
    let mut damaged = coded.clone();
    damaged[..512].fill(0);
    folder.write("tree/a.zst", &damaged);
    folder.run("-t tree/a.zst.pzr").says(1, &["tree/a.zst: is damaged, and can be repaired"]);
    folder.run("-d -o plain tree/a.zst").says(2, &["its recovery records gave back what is missing"]);
    assert_eq!(folder.read("plain"), plain);
    folder.run(&format!("-t {all}")).says(1, &["can be repaired: pzcomp --repair tree/a.zst"]);
    // Without records only salvage helps.
    std::fs::remove_file(folder.path("tree/a.zst.pzr")).unwrap();
    folder.run("-t tree/a.zst").says(1, &["if it was compressed, try pzcomp -d --salvage tree/a.zst"]);
    folder.run("-d -o other --salvage tree/a.zst").says(2, &[" frames with "]);
    folder
        .run("--repair tree/a.zst")
        .says(1, &["it is cut before its first records, which stand at its end, or"]);
    // A record without its file is what it is.
    folder.write("alone.pzr", "x");
    folder.run("-t alone.pzr tree/sub/b.zst").says(1, &["alone.pzr: not in a compressed format"]);
}

#[test]
fn protect_records_of_another_version_put_no_old_data_in_the_place_of_new() {
    for (format, block) in [("zstd", "-b 60K"), ("xz", "-b 60K"), ("gzip", "--one-member")] {
        let (folder, old) = (Folder::new(), text(900_000));
        let coded = folder.pipe(&format!("-F {format} {block}"), &old).fine();
        folder.write("f", &coded);
        folder.run("--protect --recovery=20 f").fine();
        // One line in the middle and the end are new, and the rest is as it was.
        let mut new = old.clone();
        new[500_000..500_004].copy_from_slice(b"new!");
        new.extend(b"and a new end\n");
        let coded = folder.pipe(&format!("-F {format} {block}"), &new).fine();
        folder.write("f", &coded);
        let other = &["another version of the file"];
        folder.run("--repair --rm f").says(1, other);
        folder.run("--protect --check f").says(1, other);
        assert!(folder.read("f") == coded, "{format}");
        // The file is whole, so old records beside it are no fault.
        folder.run("-d --salvage -o whole f").says(0, &[]);
        assert!(folder.read("whole") == new, "{format}");
        if block == "--one-member" {
            continue;
        }
        let at = coded.len() / 4;
        damage(&folder, "f", at, 9);
        let damaged = folder.read("f");
        folder.run("--repair --rm f").says(1, other);
        folder.run("-d -o out f").says(1, other);
        assert!(folder.read("f") == damaged && !folder.has("out"), "{format}");
        folder.run("-d --salvage -o kept f");
        let kept = folder.read("kept");
        assert!(kept.ends_with(b"and a new end\n") && kept.len() < new.len(), "{format}");
    }
}

#[test]
fn repair_keeps_whole_frames_behind_the_data_that_protect_knows() {
    for format in ["zstd", "gzip", "xz"] {
        let (folder, old) = (Folder::new(), text(900_000));
        folder.write("f", folder.pipe(&format!("-F {format} -b 60K"), &old).fine());
        folder.run("--protect f").fine();
        let protected = folder.read("f");
        let whole =
            [&protected[..], &folder.pipe(&format!("-F {format}"), b"appended later\n").fine()].concat();
        folder.write("f", &whole);
        folder.run("--repair --rm f").says(0, &["nothing is damaged"]);
        assert!(folder.read("f") == whole, "{format}");
        let at = whole.len() / 3;
        damage(&folder, "f", at, 9);
        folder.run("-d -o out f").says(2, &["gave back what is missing"]);
        assert!(folder.read("out") == [&old[..], b"appended later\n"].concat(), "{format}");
        folder.run("--repair --rm f").says(0, &["is repaired"]);
        assert!(folder.read("f") == whole, "{format}");
        // What is no data of its own is left out, and whole frames before it are not lost with it.
        folder.write("f", [&whole[..], b"garbage"].concat());
        folder.run("--repair --rm f").says(1, &["another version of the file"]);
        assert!(folder.read("f") == [&whole[..], b"garbage"].concat(), "{format}");
        folder.write("f", [&protected[..], b"garbage"].concat());
        folder.run("--repair --rm f").says(0, &["is repaired"]);
        assert!(folder.read("f") == protected, "{format}");
    }
}

#[test]
fn salvage_of_a_file_on_standard_input_uses_the_records_in_it() {
    let (folder, plain) = (Folder::new(), text(900_000));
    folder.write("f", folder.pipe("-b 60K --recovery", &plain).fine());
    damage(&folder, "f", 100_000, 9);
    let mut command = folder.command(["-d", "--salvage"]);
    let run = finish(
        command
            .stdin(std::fs::File::open(folder.path("f")).unwrap())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap(),
    );
    assert!(run.says(2, &["gave back what is missing"]).stdout == plain);
}

const FORMATS: [(&str, &str, &[u8]); 3] = [
    ("zstd", "zst", &[0x28, 0xb5, 0x2f, 0xfd]),
    ("gzip", "gz", &[0x1f, 0x8b, 8]),
    ("lz4", "lz4", &[0x04, 0x22, 0x4d, 0x18]),
];

/// Where frames and records begin. Some of these bytes may stand in the middle of a frame.
fn starts(coded: &[u8], magic: &[u8]) -> Vec<usize> {
    let is_skippable = |bytes: &[u8]| matches!(bytes, [0x5b | 0x5e, 0x2a, 0x4d, 0x18, ..]);
    let is_start = |&at: &usize| coded[at..].starts_with(magic) || is_skippable(&coded[at..]);
    (1..coded.len()).filter(is_start).collect()
}

/// Where the first recovery record begins.
fn first_record(coded: &[u8]) -> usize {
    coded.windows(4).position(|bytes| bytes == [0x9b, b'P', b'Z', b'R']).unwrap()
}

#[test]
fn a_cut_between_frames_is_an_error_from_the_first_record_on() {
    let plain = text(600_000);
    for (format, _, magic) in FORMATS {
        for index in ["", "--no-index"] {
            let folder = Folder::new();
            let options = format!("-F {format} -b 10K --recovery --recovery-span 64K {index}");
            let coded = folder.pipe(&options, &plain).fine();
            assert!(pzcomp::decompress(&coded, &Decode::default()).unwrap() == plain);
            let first = first_record(&coded);
            let cuts: Vec<usize> = starts(&coded, magic).into_iter().filter(|&cut| cut > first).collect();
            let mut unfinished = 0;
            for &cut in &cuts {
                let mut out = Vec::new();
                match Decompress::new(&Decode::default()).run(&coded[..cut], &mut out) {
                    Err(Error::Unfinished { offset, .. }) => {
                        assert_eq!(offset, cut as u64, "{format} {index}");
                        unfinished += 1;
                    }
                    Err(Error::Truncated { .. } | Error::Corrupt { .. }) => {}
                    // Without the last records, all data is there.
                    Ok(done) if done.plain_len == plain.len() as u64 && !index.is_empty() => {}
                    other => panic!("{format} {index}, cut at {cut} of {}: {other:?}", coded.len()),
                }
                assert!(plain.starts_with(&out), "{format} {index}, cut at {cut}");
            }
            // About 20 frames, and a few records.
            assert!(unfinished > 15, "{format} {index}: {unfinished} of {}", cuts.len());
        }
    }
}

#[test]
fn the_command_says_that_a_file_with_records_lacks_its_end() {
    let plain = text(600_000);
    for (format, suffix, magic) in FORMATS {
        let folder = Folder::new();
        let options = format!("-F {format} -b 10K --recovery --recovery-span 64K");
        let coded = folder.pipe(&options, &plain).fine();
        let first = first_record(&coded);
        let is_frame = |&cut: &usize| cut > first + 2000 && coded[cut..].starts_with(magic);
        let is_unfinished = |&cut: &usize| {
            matches!(pzcomp::decompress(&coded[..cut], &Decode::default()), Err(Error::Unfinished { .. }))
        };
        let cut = starts(&coded, magic).into_iter().filter(is_frame).find(is_unfinished).unwrap();
        let name = format!("a.{suffix}");
        folder.write(&name, &coded[..cut]);
        let said = ["behind a whole frame", "recovery records say that more follows", "fetch it again"];
        folder.run(&format!("-t {name}")).says(1, &said);
        folder.run(&format!("-d {name}")).says(1, &said);
        assert!(!folder.has("a"), "{format}");
        let (status, words) = match format {
            "zstd" => (1, "premature end"),
            "gzip" => (1, "unexpected end of file"),
            _ => (68, "Unfinished stream"),
        };
        let named = folder.run(&format!("--as {format} -t {name}"));
        assert!(named.status.code() == Some(status) && named.stderr.contains(words), "{named:?}");
        let piped = folder.pipe("-dc", &coded[..cut]);
        assert!(plain.starts_with(&piped.stdout) && piped.stdout.len() > 64 << 10, "{format}");
        piped.says(1, &said);
        let salvaged = folder.run(&format!("-dc --salvage {name}"));
        assert!(plain.starts_with(&salvaged.stdout) && salvaged.stdout.len() > 64 << 10, "{format}");
        salvaged.says(2, &["more follows"]);
        folder.run(&format!("--repair {name}")).says(2, &["its end is missing"]);

        // Without the table all data is there, and the table can be made again.
        let table = *starts(&coded, magic).last().unwrap();
        folder.write(&name, &coded[..table]);
        folder.run(&format!("-t {name}")).says(1, &["can be repaired"]);
        folder.run(&format!("--repair --rm {name}")).says(0, &["is repaired"]);
        assert!(folder.read(&name) == coded, "{format}");

        // So it is for a short file, of which the library decodes whole frames at once.
        let short = folder
            .pipe(&format!("-F {format} -b 4K --recovery --recovery-span 64K"), &plain[..60_000])
            .fine();
        let ends = starts(&short, magic).into_iter().filter(|&cut| cut > first_record(&short));
        let is_told = |cut| pzcomp::decompress(&short[..cut], &Decode::default()).is_err();
        let told: Vec<bool> = ends.map(is_told).collect();
        assert!(!told.is_empty() && told.iter().all(|&told| told), "{format}: {told:?}");

        // A whole file before it changes nothing.
        folder.write(&name, [&coded[..], &coded[..cut]].concat());
        folder.run(&format!("-t {name}")).says(1, &said);
        folder.write(&name, [&coded[..], &coded[..]].concat());
        folder.run(&format!("-t {name}")).fine();
    }
}
