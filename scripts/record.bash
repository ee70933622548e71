# Lets a test script run to its end and writes down each of its commands that fails.
#
# scripts/test-suites.sh has bash read this file before a test script (variable BASH_ENV). Such a script
# would stop at its first failure, by `set -e` or by `exit 1`. With this file it continues, so that one run
# shows all failures. The variable RECORD names a file, which gets lines of three fields between tabs:
#
#   run   NAME            a test has begun; its name is a line number of the script, or the argument of `begin`
#   fail  NAME  COMMAND   that test has failed
#
# RECORD_BY=lines makes a test of each line of the script. RECORD_BY=names leaves it to calls of `begin`,
# which test-suites.sh puts into its copy of the script.

unset BASH_ENV
test_name=

# Sets `outer` to the line of the script itself, also inside of functions.
outer_line() {
  outer=${BASH_LINENO[${#BASH_LINENO[@]} - 2]}
}

begin() {
  test_name=$1
  builtin printf 'run\t%s\n' "$1" >>"$RECORD"
}

failed() {
  local name=$test_name outer
  outer_line
  [[ $RECORD_BY == names && -n $name ]] || name=$outer
  builtin printf 'fail\t%s\t%s\n' "$name" "${1//[$'\n\t']/ }" >>"$RECORD"
  builtin printf '### line %s: %s\n' "$outer" "$1" >&2
}

# `set -e` ends a subshell at its first failure, and its parent sees the status. This stays the same.
command_failed() {
  ((BASH_SUBSHELL == 0)) || builtin exit "$1"
  failed "$2 (status $1)"
}

exit() {
  local status=${1-$?}
  ((status != 0 && status != 77 && BASH_SUBSHELL == 0)) || builtin exit "$status"
  failed "exit $status"
}

# These two functions are called where the script has `set -e` and `set +e`.
count_failures() {
  set -E
  trap 'command_failed $? "$BASH_COMMAND"' ERR
}

ignore_failures() {
  trap - ERR
}

# shellcheck disable=SC2016 # expanded when the trap runs
[[ $RECORD_BY != lines ]] || trap 'builtin printf "run\t%s\n" "$LINENO" >>"$RECORD"' DEBUG
