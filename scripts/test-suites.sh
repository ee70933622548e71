#!/usr/bin/env bash
# Runs the test suites of the original tools, once with the original and once with pzcomp in its place.
#
#   scripts/test-suites.sh [SUITE...]
#   scripts/test-suites.sh table
#
# Without arguments it runs all suites. The second form only writes the table again, from the present
# results.
#
# The suites come from Debian's source packages, the newest that can be downloaded. Nothing of them is kept
# in this repository. The original is built from the same package. A suite then runs in two copies of that
# tree; in one of them links to pzcomp take the place of the original.
#
# All files are under target/suites. A run that was stopped continues where it stopped: a result is made
# again if it is missing or if pzcomp is newer. The results of pzcomp are also made again for suites that
# the command line names. The last step writes the table in benches/results/suites.md, with the reasons that
# docs/dropin-reasons.tsv gives for failures.
#
# PZCOMP names the program to test (default target/release/pzcomp, which is built if it is missing).
#
# shellcheck disable=SC2317 # the names of called functions are composed
# shellcheck disable=SC2016 # text for the copies of the test scripts is expanded there
set -euo pipefail

suites=(gzip libdeflate xz xz-compress zstd zstd-cli lz4 bzip2 lbzip2 pigz lzip plzip htslib)
declare -A package=(
  [gzip]=gzip [libdeflate]=libdeflate [xz]=xz-utils [xz-compress]=xz-utils [zstd]=libzstd [zstd-cli]=libzstd
  [lz4]=lz4 [bzip2]=bzip2 [lbzip2]=lbzip2 [pigz]=pigz [lzip]=lzip [plzip]=plzip [htslib]=htslib
)
declare -A title=(
  [gzip]="tests/" [libdeflate]="scripts/gzip_tests.sh" [xz]="test_files, test_scripts, test_suffix"
  [xz-compress]="test_compress" [zstd]="playTests.sh" [zstd-cli]="cli-tests" [lz4]="test-lz4-*.sh"
  [bzip2]="make check" [lbzip2]="tests/" [pigz]="make test" [lzip]="check.sh" [plzip]="check.sh"
  [htslib]="test.pl, bgzip only"
)
# The unit that counts as one test, for the column of the table.
declare -A unit=(
  [gzip]=scripts [libdeflate]=tests [xz]="files and checks" [xz-compress]="round trips" [zstd]=commands
  [zstd-cli]=scripts [lz4]=commands [bzip2]=commands [lbzip2]=files [pigz]=commands [lzip]=assertions
  [plzip]=assertions [htslib]=tests
)
# The programs of the built tree that links to pzcomp replace.
declare -A programs=(
  [gzip]="gzip gunzip zcat" [libdeflate]="gzip gunzip zcat" [xz]=src/xz/xz [xz-compress]=src/xz/xz
  [zstd]=programs/zstd [zstd-cli]=programs/zstd [lz4]="programs/lz4 programs/unlz4 programs/lz4cat"
  [bzip2]=bzip2 [lbzip2]=src/lbzip2 [pigz]="pigz unpigz" [lzip]=lzip [plzip]=plzip [htslib]=bgzip
)
build_needs=(
  build-essential dpkg-dev cmake perl python3 bc liblz-dev liblz4-dev zlib1g-dev liblzma-dev libbz2-dev libhtscodecs-dev
  libcurl4-openssl-dev less ncompress file
)

root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/target/suites
scripts=$root/scripts
document=$root/benches/results/suites.md
reasons=$root/docs/dropin-reasons.tsv
command_limit=300  # seconds for one call of a program, where a script would wait for it forever
script_limit=3600  # seconds for one script

fail() {
  echo "test-suites.sh: $*" >&2
  exit 1
}

say() {
  echo "test-suites.sh: $*" >&2
}

# shellcheck source=scripts/sources.sh
source "$scripts/sources.sh"

# ---- building the originals

build() {
  local name=$1 folder=$work/built/$1
  [[ -e $folder.ready ]] && return
  fetch "$name"
  say "building $name $(<"$work/source/$name/version")"
  rm -rf "$folder"
  mkdir -p "$work/built"
  cp -a "$work/source/$name/tree" "$folder"
  (cd "$folder" && quietly "build_$name") || fail "$name cannot be built."
  touch "$folder.ready"
}

mk() {
  nice make -j2 "$@"
}

build_gzip() { ./configure && mk; }
build_libdeflate() { :; }
build_xz-utils() {
  # The scripts test xzdec only if it exists, and pzcomp does not have that name.
  ./configure --disable-shared --disable-nls && mk && make -C tests create_compress_files && rm src/xzdec/xzdec
}
build_libzstd() { mk -C programs zstd && mk -C tests datagen; }
build_lz4() { mk -C programs lz4 unlz4 lz4cat && mk -C tests datagen; }
build_bzip2() { mk bzip2; }
# Its old copy of gnulib uses names of the C library that no longer exist.
build_lbzip2() {
  ./configure CPPFLAGS="-D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100" && mk && mk -C tests minbzcat timeout
}
build_pigz() { mk pigz; }
build_lzip() { ./configure && mk; }
build_plzip() { ./configure && mk; }
# The archive does not contain the library htscodecs.
build_htslib() {
  cp htscodecs_external.mk htscodecs.mk &&
    mk bgzip CPPFLAGS=-DHAVE_EXTERNAL_LIBHTSCODECS LIBS="-lhtscodecs -lbz2 -llzma -lcurl -lz -lm -lpthread"
}

# ---- running: each run_SUITE runs in its own copy of the tree, and prints lines "pass NAME" or "fail NAME"

# Puts a script in the place of each of these programs. The script calls the program under the same name
# and ends it if it takes too long. A program may be a link to another one of the list.
limit_calls() {
  local path real
  for path in "$@"; do
    [[ -L $path ]] || { mv "$path" "$path.real" && ln -s "$PWD/$path.real" "$path"; }
  done
  local -A real_of=()
  for path in "$@"; do real_of[$path]=$(readlink -f "$path"); done
  for path in "$@"; do
    real=${real_of[$path]}
    rm "$path"
    cat >"$path" <<END
#!/bin/sh
exec timeout --foreground -k 5 $command_limit bash -c 'name=\$0; exec -a "\$name" "\$@"' "\$0" "$real" "\$@"
END
    chmod +x "$path"
  done
}

# Runs a test script to its end although it would stop at its first failure. See record.bash.
recorded() {
  local by=$1 record=$PWD/record
  shift
  rm -f "$record"
  touch "$record"
  RECORD=$record RECORD_BY=$by BASH_ENV=$scripts/record.bash timeout -k 5 "$script_limit" bash "$@" >&2 </dev/null ||
    say "${*##*/}: status $?"
}

# Turns a record into results. The prefix tells scripts of one suite apart.
results() {
  awk -F '\t' -v prefix="${1-}" '
    $1 == "run" && !($2 in state) { state[$2] = "pass"; order[++n] = $2 }
    $1 == "fail" { if (!($2 in state)) order[++n] = $2; state[$2] = "fail" }
    END { for (i = 1; i <= n; i++) print state[order[i]] "\t" prefix order[i] }' record
}

# Marks the lines of a script where a failure counts: the lines where the script would stop. "! command"
# must fail as well.
tell_record() {
  sed -i -E -e 's/^! (.*)/\1 \&\& exit 1/' -e 's/^([[:space:]]*)set -eu?\>.*/\1count_failures/' \
    -e 's/^([[:space:]]*)set \+e\>.*/\1ignore_failures/' -e '/^[[:space:]]*set -x/d' "$1"
}

# Results of the test driver of automake.
automake_results() {
  local file
  for file in tests/*.trs; do
    awk -v name="$(basename "$file" .trs)" '
      /^:test-result: PASS/ { print "pass\t" name } /^:test-result: (FAIL|ERROR)/ { print "fail\t" name }' "$file"
  done
}

run_gzip() {
  make -C tests check LOG_COMPILER="timeout -k 5 $command_limit" >&2 || true
  cat tests/*.log >&2
  automake_results
}

# The script's tests are separated by two empty lines, and each is run by itself.
run_libdeflate() {
  local file name status
  mkdir blocks
  awk -v RS='\n\n\n' '
    /begin_test [\x27"]/ {
      file = sprintf("blocks/%03d", ++n)
      print head $0 "\nCURRENT_TEST=" > file
      close(file)
      next
    }
    { head = head $0 "\n\n" }' "$work/source/libdeflate/tree/scripts/gzip_tests.sh"
  # The script knows GNU gzip by its path, and expects more levels of any other program.
  sed -i "s|\"\$GZIP\" = /bin/gzip|\"\$GZIP\" = $PWD/gzip|" blocks/*
  export PATH=$PWD:$PATH
  for file in blocks/*; do
    name=$(sed -n "s/.*begin_test ['\"]\(.*\)['\"].*/\1/p" "$file" | sed -n 1p)
    echo "=== $name" >&2
    status=0
    GZIP=$PWD/gzip GUNZIP=$PWD/gunzip TESTDATA=$work/source/libdeflate/tree/NEWS.md \
      timeout -k 5 "$command_limit" bash "$file" >&2 </dev/null || status=$?
    if ((status == 0)); then printf 'pass\t%s\n' "$name"; else printf 'fail\t%s\n' "$name"; fi
  done
}

# test_files.sh tests file by file, and test_scripts.sh and test_suffix.sh leave at each of their checks.
run_xz() {
  local script
  limit_calls src/xz/xz
  cd tests
  export srcdir=.
  sed -i -e '/^[[:space:]]*do$/a begin "${I##*/}"' -e 's/^I=.*/&\nbegin "${I##*\/} with -l or -Q"/' test_files.sh
  recorded names ./test_files.sh
  results
  for script in test_scripts test_suffix; do
    recorded checks "./$script.sh"
    # Each `exit 1` is a check; it fails where the record has its line.
    grep -n '^[[:space:]]*exit 1$' "$script.sh" | cut -d : -f 1 | while read -r line; do
      if grep -q "^fail.$line." record; then printf 'fail'; else printf 'pass'; fi
      printf '\t%s:%s\n' "$script" "$line"
    done
  done
}

run_xz-compress() {
  local file
  limit_calls src/xz/xz
  cd tests
  export srcdir=.
  sed -i -e 's/^test_xz() {/&\nbegin "${*%% lzma2:*}"/' test_compress.sh
  for file in abc random text; do
    recorded names ./test_compress.sh "compress_generated_$file"
    results "$file "
  done
}

run_zstd() {
  cd tests
  tell_record playTests.sh
  printf '#!/bin/sh\nexec timeout --foreground -k 5 %s "$@"\n' "$command_limit" >limit
  chmod +x limit
  EXE_PREFIX=$PWD/limit ZSTD_BIN=$PWD/../programs/zstd DATAGEN_BIN=$PWD/datagen recorded lines ./playTests.sh
  results
}

# Makes one call for each test, because run.py ends if the preparation of a folder fails, and that of the
# dictionaries may fail.
run_zstd-cli() {
  local test status
  cd tests/cli-tests
  for test in */*.sh; do
    [[ $test != common/* ]] || continue
    status=0
    timeout -k 5 "$command_limit" python3 ./run.py --zstd="$PWD/../../programs/zstd" --datagen="$PWD/../datagen" \
      --zstdgrep="$PWD/../../programs/zstdgrep" --zstdless="$PWD/../../programs/zstdless" --timeout=200 \
      "$test" >&2 </dev/null || status=$?
    if ((status == 0)); then printf 'pass'; else printf 'fail'; fi
    printf '\t%s\n' "$test"
  done
}

run_lz4() {
  local script name
  limit_calls programs/lz4 programs/unlz4 programs/lz4cat
  cd tests
  export PATH=$PWD/../programs:$PWD:$PATH
  for script in test-lz4-*.sh; do
    tell_record "$script"
    recorded lines "./$script"
    name=${script#test-lz4-}
    results "${name%.sh}:"
    rm -f tmp-*
  done
}

# Runs the lines of a make target one by one.
run_recipe() {
  local line n=0
  rm -f ./*.o # so that make does not compare their times with the link
  make --always-make --dry-run "$1" | awk '/words1|-kf pigz.c/ { on = 1 } on' | sed -e '/^cat words/d' -e '/^rm /d' |
    sed -e ':a' -e '/\\$/N; s/\\\n//; ta' >recipe
  while IFS= read -r line; do
    echo "=== $line" >&2
    if timeout -k 5 "$command_limit" sh -c "$line" >&2 </dev/null; then printf 'pass'; else printf 'fail'; fi
    printf '\t%s\n' "$((n += 1)). ${line:0:60}"
  done <recipe
}

run_bzip2() { run_recipe test; }
run_pigz() { run_recipe test; }

run_lbzip2() {
  make -C tests check >&2 || true
  automake_results
}

# check.sh of lzip and of plzip calls test_failed at a failure, and continues. A call of test_passed is put
# beside each of these calls. The script needs a shell with LINENO, which not every /bin/sh has.
check_script() {
  local calls='test_passed() { note run "$@"; }; test_failed() { note fail "$@"; }'
  limit_calls "$1"
  # The result of a test is no part of its name.
  sed -i -e 's/ "${lines}"$//' testsuite/check.sh
  sed -i -z -E -e 's/\|\|([[:space:]]*)test_failed (\$LINENO[^\n#;]*)/\&\&\1test_passed \2 || test_failed \2/g' \
    -e 's/test_failed\(\) \{[^\n]*/note() { printf "%s\\t%s\\n" "$1" "${*:2}" >>"$RECORD"; }; '"$calls"'/' \
    testsuite/check.sh
  rm -f record
  touch record
  RECORD=$PWD/record timeout -k 5 "$script_limit" bash testsuite/check.sh testsuite 0 >&2 </dev/null || true
  results
}

run_lzip() { check_script lzip; }
run_plzip() { check_script plzip; }

run_htslib() {
  sed -i -E "/^run_test\(/{/test_(re)?bgzip'/!d}" test/test.pl
  timeout -k 5 "$script_limit" perl test/test.pl >run.log 2>&1 </dev/null || true
  cat run.log >&2
  # A test prints its name, a colon, and ".. ok" or ".. failed" on the same or a later line.
  awk '
    /^bgzip [^:]*: / { name = $0; sub(/:.*/, "", name); gsub(/ +/, " ", name) }
    /^test_rebgzip:/ { name = "rebgzip" }
    /(^|: )\.\. ok/ { print "pass\t" name }
    /(^|: )\.\. failed/ { print "fail\t" name }' run.log
}

# ---- the two runs of a suite

# Puts links to pzcomp in the place of the programs of a tree.
put_pzcomp() {
  local path
  for path in $1; do
    rm -f "$path"
    ln -s "$work/links/$(basename "$path")" "$path"
  done
}

install_links() {
  [[ $(readlink -f "$work/links/gzip" || true) != "$pzcomp" ]] || return 0
  rm -rf "$work/links"
  mkdir -p "$work/links"
  "$pzcomp" --install-links "$work/links" >/dev/null
}

run_side() {
  local suite=$1 side=$2 name=${package[$1]}
  local folder=$work/run/$suite.$side result=$work/results/$suite.$side
  # libdeflate's script says that it holds for GNU gzip as well, and pzcomp imitates GNU gzip.
  [[ $suite != libdeflate ]] || name=gzip
  say "running $suite with $([[ $side == pzcomp ]] && echo pzcomp || echo "the original")"
  rm -rf "$folder"
  mkdir -p "$work/run" "$work/results"
  cp -a "$work/built/$name" "$folder"
  (
    cd "$folder"
    export LC_ALL=C
    unset GZIP GREP_OPTIONS XZ_OPT XZ_DEFAULTS ZSTD_CLEVEL ZSTD_NBTHREADS LZ4_CLEVEL BZIP BZIP2 MAKEFLAGS MAKELEVEL
    [[ $side == original ]] || put_pzcomp "${programs[$suite]}"
    "run_$suite"
  ) >"$result.new" 2>"$work/results/$suite.$side.log" || say "$suite ended with status $?"
  [[ -s $result.new ]] || fail "$suite has shown no test; see $result.log."
  mv "$result.new" "$result"
  rm -rf "$folder"
}

run_suite() {
  local suite=$1 named=$2 name
  for name in "${package[$suite]}" $([[ $suite != libdeflate ]] || echo gzip); do build "$name"; done
  [[ -e $work/results/$suite.original ]] || run_side "$suite" original
  if ((named)) || [[ ! $work/results/$suite.pzcomp -nt $pzcomp ]]; then run_side "$suite" pzcomp; fi
}

# ---- the table

# Prints three fields for each test of a suite: outcome with the original, outcome with pzcomp, name. A test
# that pzcomp's run did not reach has failed. If only pzcomp's run reached a command and it failed, it is
# the script's reaction to a failure. It counts as passed by the original.
outcomes() {
  awk -F '\t' '
    FILENAME == ARGV[1] { if (!($2 in with_pzcomp)) order[++n] = $2; with_pzcomp[$2] = $1; next }
    { listed[$2] = 1; print $1 "\t" ($2 in with_pzcomp ? with_pzcomp[$2] : "fail") "\t" $2 }
    END {
      for (i = 1; i <= n; i++)
        if (!(order[i] in listed) && with_pzcomp[order[i]] == "fail") print "pass\tfail\t" order[i]
    }' "$work/results/$1.pzcomp" "$work/results/$1.original"
}

# Tests that pass with the original and not with pzcomp.
differing() {
  outcomes "$1" | awk -F '\t' '$1 == "pass" && $2 != "pass" { print $3 }'
}

# Prints the reason for one test. The reasons have three fields between tabs: suite, patterns of bash for
# the test's name (several between " | "), reason. The first match counts.
reason_of() {
  local suite=$1 test=$2 where patterns pattern reason
  while IFS=$'\t' read -r where patterns reason; do
    [[ $where == "$suite" ]] || continue
    while IFS= read -r pattern; do
      # shellcheck disable=SC2053 # it is a pattern
      if [[ $test == $pattern ]]; then
        echo "$reason"
        return
      fi
    done <<<"${patterns// | /$'\n'}"
  done <"$reasons"
  echo "**not explained yet**"
}

# Prints the tests of a suite that differ, grouped by their reasons. If a line of a script is a test in
# each round of a loop, the line is named once, with the number of rounds.
explained() {
  local suite=$1 test reason
  differing "$suite" | while IFS= read -r test; do
    printf '%s\t%s\n' "$(reason_of "$suite" "$test")" "$test"
  done | awk -F '\t' '
    { name = $2; if (name ~ /^[0-9]+ /) sub(/ .*/, "", name); sub(/--filters=/, "", name) }
    !($1 in tests) { order[++n] = $1 }
    ($1, name) in times { times[$1, name]++; next }
    { times[$1, name] = 1; tests[$1] = tests[$1] (tests[$1] == "" ? "" : "\t") name }
    END {
      for (i = 1; i <= n; i++) {
        count = split(tests[order[i]], names, "\t")
        line = ""
        for (j = 1; j <= count; j++) {
          rounds = times[order[i], names[j]]
          line = line (j == 1 ? "" : ", ") "`" names[j] "`" (rounds == 1 ? "" : " (" rounds " times)")
        }
        print "- " line ": " order[i]
      }
    }'
}

# Names the reasons whose tests now pass, so that they can be removed.
stale_reasons() {
  local where patterns reason test
  local -A used=()
  local suite
  for suite in "${suites[@]}"; do
    [[ -e $work/results/$suite.pzcomp && -e $work/results/$suite.original ]] || used[$suite]=all
    [[ -v used[$suite] ]] && continue
    while IFS= read -r test; do used["$suite $(reason_of "$suite" "$test")"]=1; done < <(differing "$suite")
  done
  while IFS=$'\t' read -r where patterns reason; do
    [[ $where == \#* || -v used[$where] || -v used["$where $reason"] ]] ||
      say "no test fails any more for this reason: $where, $patterns: $reason"
  done <"$reasons"
}

table() {
  local suite
  echo "| suite | one test is | tests | pass with the original | of these pass with pzcomp |"
  echo "|---|---|---|---|---|"
  for suite in "${suites[@]}"; do
    [[ -e $work/results/$suite.pzcomp && -e $work/results/$suite.original ]] || continue
    outcomes "$suite" | awk -F '\t' -v unit="${unit[$suite]}" \
      -v name="${package[$suite]} $(<"$work/source/${package[$suite]}/version"), ${title[$suite]}" '
      { total++ } $1 == "pass" { original++; if ($2 == "pass") both++ }
      END { printf "| %s | %s | %d | %d | %d |\n", name, unit, total, original, both }'
  done
}

details() {
  local suite lines
  for suite in "${suites[@]}"; do
    [[ -e $work/results/$suite.pzcomp && -e $work/results/$suite.original ]] || continue
    lines=$(explained "$suite")
    [[ -n $lines ]] || continue
    printf '\n### %s, %s\n\n%s\n' "${package[$suite]}" "${title[$suite]}" "$lines"
  done
}

# Replaces the text between the two marker lines of the document.
write_table() {
  local new=$work/suites.md
  {
    sed '/^<!-- begin of the table/q' "$document"
    table
    details
    sed -n '/^<!-- end of the table/,$p' "$document"
  } >"$new"
  cp "$new" "$document"
  stale_reasons
  say "the table is in ${document#"$root"/}"
}

# ---- arguments

main() {
  local suite named=1
  if [[ $* == table ]]; then
    write_table
    return
  fi
  if (($# == 0)); then
    set -- "${suites[@]}"
    named=0
  fi
  for suite in "$@"; do
    [[ -v package[$suite] ]] || fail "there is no suite $suite; the suites are ${suites[*]}."
  done
  pzcomp=${PZCOMP-$root/target/release/pzcomp}
  # pzcomp itself reads options from a variable with this name.
  unset PZCOMP
  [[ -e $pzcomp ]] || cargo build --release --locked --manifest-path "$root/Cargo.toml"
  pzcomp=$(readlink -f "$pzcomp")
  "$scripts/peers.sh" install "${build_needs[@]}"
  install_links
  for suite in "$@"; do run_suite "$suite" "$named"; done
  write_table
}

# This is one line, so that a change of this file does not disturb a run.
main "$@"; exit
