"""The tests of `compare.py` and `readme.py`: `make test-benches`."""

import os
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import compare
import readme
import rows


def usage(ms, stderr="a; cpu s: reader 0.012, workers 1.350, writer 0.045"):
    return SimpleNamespace(wall=ms / 1000, cpu=0, peak=ms << 20, stderr=stderr)


def finding(needed, ours, walls, our_len, peer_walls, peer_len):
    row = rows.promise(f"test; pipe→pipe; {needed}; ; {ours}; ")
    found = compare.Finding(row, "data", 4000)
    for walls, length in ((walls, our_len), (peer_walls, peer_len)):
        side = compare.Side(row.ours)
        side.rounds, side.coded_len = list(map(usage, walls)), length
        found.sides.append(side)
    return found


def chapters(line):
    return compare.chapters(compare.parse(line.split()))


class Rows(unittest.TestCase):
    def test_every_row_can_be_run_and_none_is_measured_twice(self):
        """A row must not name a file that its shape does not have. Decoders refuse files without their suffix."""
        every = rows.every_row()
        self.assertEqual(len(every), len({row.processes for row in every}))
        self.assertGreater(sum(row.tier == rows.PROMISE for row in every), 80)
        for row in every:
            self.assertEqual(bool(row.peer), row.needed == "ahead" or bool(row.goal.speed), row)
            for party in row.parties:
                self.assertTrue("{in}" not in party.run or row.ends[0] in ("file", "files"), party)
                self.assertTrue("{out}" not in party.run or row.ends[1] == "file", party)
                self.assertNotIn("{", party.check or "")
                self.assertTrue(not party.source or rows.suffix_of(party.source), party)
                for line in filter(None, party):
                    bare = line.replace("{in}", "").replace("{out}", "").replace(" | ", " ")
                    self.assertFalse(set(bare) & set("{}[]|<>"), line)
                    self.assertEqual(line, " ".join(line.split()))

    def test_a_line_that_is_no_promise_is_refused(self):
        for line in ("a; pipe→pipe; speed > 1; ; b; c", "a; pipe→tape; ahead; ; b; c", "a; pipe→pipe; ahead; quick; b; c"):
            self.assertRaises(ValueError, rows.promise, line)

    def test_templates_become_what_a_user_would_type(self):
        for template, by_pipe, by_file in (
            ("pigz -p{p} -{l} -c", "pigz -p2 -6 -c", "pigz -p2 -6 -c {in}"),
            ("pixz -t -p{p} -{l} [-i {in}|]", "pixz -t -p2 -6", "pixz -t -p2 -6 -i {in}"),
            ("rapidgzip-rust -P{p} -d [{in}|-]", "rapidgzip-rust -P2 -d -", "rapidgzip-rust -P2 -d {in}"),
            (rows.OUR_DECODER, "pzcomp -d -p 2", "pzcomp -d -p 2 -c {in}"),
        ):
            self.assertEqual([rows.line(template, setting, 6) for setting in rows.EVERY[:2]], [by_pipe, by_file])
        for coder, suffix in (("pzcomp -F gzip -6", ".gz"), ("pbzip2 -9 -c", ".bz2"), ("plzip -1 -c", ".lz")):
            self.assertEqual(rows.suffix_of(coder), suffix)

    def test_one_thread_meets_one_thread(self):
        for row in rows.every_row():
            if row.tier > rows.PROMISE:
                threads = "1" if "-p 1" in row.ours.run else "2"
                for word in row.peer.run.split():
                    if word.startswith(("-T", "-n", "-@", "-P", "-p")):
                        self.assertEqual(word[2:], threads, row)

    def test_an_older_binary_takes_the_place_of_every_peer(self):
        every = [row.against_before() for row in rows.every_row()]
        self.assertTrue(all(row.needed == "ahead" and row.peer for row in every))
        line = "pzcomp -F zstd -1 -p 2 against pzcomp-before -F zstd -1 -p 2;"
        self.assertTrue(any(line in str(row) for row in every))

    def test_sets_grow_and_a_full_run_meets_all_kinds_of_data(self):
        lengths = [sum(len(part) for _, part in chapters(f"--set {name}")) for name in ("promises", "quick", "all")]
        self.assertTrue(0 < lengths[0] < lengths[1] < lengths[2])
        self.assertEqual([data.name for data, _ in chapters("")], compare.FIRST_RANK + compare.SECOND_RANK)
        compares = [any(row.tier > rows.PROMISE for row in part) for _, part in chapters("--quick")]
        self.assertEqual(compares, [True, False])

    def test_rows_are_chosen_by_their_peer_and_by_what_they_say(self):
        of_peers = [row for _, part in chapters("--peers crabz,lzop") for row in part]
        self.assertTrue(of_peers and all(rows.program_of(row.peer.run) in ("crabz", "lzop") for row in of_peers))
        foreign = [row for _, part in chapters("--rows foreign") for row in part]
        self.assertTrue(foreign and all("foreign" in row.work for row in foreign))


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.stderr = Path(folder.name), Path(folder.name, "stderr")
        self.plain = self.folder / "it's plain"
        self.plain.write_bytes(b"plain data")

    def shell(self, script, source, target, watched=False):
        return compare.run(["/bin/sh", "-c", script], source, target, self.stderr, watched)

    def test_bytes_pass_through_a_process_whole_and_a_failing_one_is_quoted(self):
        plain = bytes(range(256)) * 12_000
        self.plain.write_bytes(plain)
        for source, target in (("pipe", "pipe"), ("file", "pipe"), ("32K pipe", "32K pipe")):
            passed = bytearray()
            cost = self.shell("sleep 0.3; exec cat", (self.plain, source), (passed.extend, target), watched=True)
            self.assertGreater(cost.peak, 0)
            self.assertEqual(passed, plain)
        with self.assertRaisesRegex(compare.Failed, "^sh: exit status 3; it said: no such luck$"):
            self.shell("echo no such luck >&2; exit 3", (self.plain, "pipe"), (None, "null"))

    def test_the_memory_of_children_at_the_same_time_adds_up(self):
        """`dd` fills a buffer of one block, and keeps it until its reader wakes up."""
        thirty = "(dd if=/dev/zero bs=30M count=1 2>/dev/null | (sleep 0.4; cat >/dev/null))"
        cost = self.shell(f"{thirty} & {thirty} & wait", (os.devnull, "file"), (None, "null"), watched=True)
        self.assertTrue(60 << 20 <= cost.peak < 100 << 20, cost.peak)

    def test_a_program_in_the_folder_comes_first_and_a_shell_runs_a_pipeline(self):
        row = rows.promise("test; file→pipe; peak ≤ 1 MiB; ; cat {in} | sed s/ai/oi/ < cat; ")
        programs = compare.Programs([row], "/bin/sh", None, self.folder)
        self.assertIsNone(programs.missing(row))
        passed = bytearray()
        command = programs.command(row.ours.run, self.plain, self.plain)
        compare.run(command, (self.plain, "file"), (passed.extend, "pipe"), self.stderr)
        self.assertEqual(passed, b"ploin data")
        own = self.folder / "sed"
        own.write_text("#!/bin/sh\necho; echo '** test 1.2 **'")
        own.chmod(0o755)
        self.assertEqual(compare.Programs([row], "/bin/sh", None, self.folder)["sed"], (str(own), "test 1.2"))
        absent = replace(row, ours=rows.party("cat | no-such-program"))
        self.assertEqual(programs.missing(absent), "no-such-program")
        self.assertRaises(compare.Failed, compare.Programs, [], "/nowhere/pzcomp", None, self.folder)

    def test_every_difference_is_noticed(self):
        for found, says in (("plain data", None), ("", "after 0 bytes"), ("plain", "after 5 bytes"),
                            ("plain data!", "after byte 10"), ("plain dAta", "from byte 7 on")):
            comparison = compare.Comparison(self.plain)
            for at in range(0, len(found), 5):
                comparison(found[at:at + 5].encode())
            if says:
                self.assertRaisesRegex(compare.Failed, says, comparison.finish)
            else:
                comparison.finish()

    def test_a_party_that_loses_data_is_found_out(self):
        honest = rows.promise("cat; pipe→pipe; peak ≤ 100 MiB; ; cat < cat; ")
        loses = rows.promise("tr; pipe→file; peak ≤ 100 MiB; ; tr a b < cat; ")
        programs = compare.Programs([honest, loses], "/bin/sh", None, "/nowhere")
        bench = compare.Bench(programs, self.folder, 2, quick=False)
        found = compare.Finding(honest, "plain", 10)
        bench.measure(honest, self.plain, found)
        self.assertEqual((len(found.sides[0].rounds), found.sides[0].coded_len, found.verdict), (2, 10, "holds"))
        with self.assertRaisesRegex(compare.Failed, "^`tr a b`: its data is wrong from byte 2 on$"):
            bench.measure(loses, self.plain, compare.Finding(loses, "plain", 10))


class Verdicts(unittest.TestCase):
    def test_a_promise_holds_or_says_what_it_misses(self):
        """The pairs of rounds have the ratios 3, 2.5 and 1."""
        for needed, verdict in (
            ("speed ≥ 2.5", "holds"),
            ("speed ≥ 2.6", "misses (speed)"),
            ("speed ≥ 2.5, size ≤ 1.01", "holds"),
            ("speed ≥ 3, size ≤ 1", "misses (speed and size)"),
            ("speed ≥ 1, size ≤ 1", "misses (size)"),
            ("peak ≤ 40 MiB", "holds"),
            ("peak ≤ 39 MiB", "misses (memory)"),
            ("cores ≥ 30", "holds (30.0 cores)"),
            ("cores ≥ 31", "misses (30.0 cores)"),
        ):
            found = finding(needed, "a < b", [10, 20, 40], 101, [30, 50, 40], 100)
            self.assertEqual(found.verdict, verdict, needed)

    def test_a_comparison_counts_speed_and_size(self):
        findings = []
        for ours, ms, length, verdict, lag in (
            ("a < b", 500, 1000, "ahead (2.00)", None),
            ("a < b", 1500, 1000, "behind (0.67)", 0.67),
            ("a < b", 990, 1000, "even (1.01)", None),
            ("a < b", 500, 1250, "larger (2.00, size 1.250)", 0.8),
            ("a < b", 500, 800, "ahead (2.00, size 0.800)", None),
            ("a > b", 2000, 1000, "behind (0.50)", 0.5),
            # The file that is read is not the work of the row.
            ("a > b", 500, 1250, "ahead (2.00)", None),
        ):
            found = finding("ahead", ours, [ms], length, [1000], 1000)
            self.assertEqual((found.verdict, found.lag and round(found.lag, 2)), (verdict, lag))
            self.assertEqual(len(compare.cells(found)), len(compare.HEADINGS))
            findings.append(found)
        findings[0].missing = "ahead"
        self.assertEqual(compare.score(findings),
                         "Promises: 0 hold, 0 miss. Comparisons: pzcomp is ahead in 2, even in 1, faster but larger in 1, "
                         "behind in 2. Without a result: 1.")

    def test_bars_are_as_long_as_their_ratios(self):
        picture = readme.svg([("fast", 2, "2.00 × a<b"), ("slow", 0.5, "0.50 × a<b")], "speeds", "1 ×")
        wide, narrow = [float(part.split('"')[0]) for part in picture.split(' width="')[1:]]
        self.assertEqual(wide, 4 * narrow)
        self.assertTrue("2.00 × a&lt;b<" in picture and 'class="slower"' in picture and "a<b" not in picture)


if __name__ == "__main__":
    unittest.main()
