# shellcheck shell=bash
# Source packages of Debian, for the scripts that build the originals. `source` this file.
#
# fetch NAME puts the newest source of a package that can be downloaded into $work/source/NAME/tree, and its version into
# $work/source/NAME/version. The caller defines $work, `say` and `fail`.

# Runs a command whose output only matters if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  ((status == 0)) || tail -n 40 "$log" >&2
  rm -f "$log"
  return "$status"
}

# apt with its own lists and settings, so that those of the system do not change.
private_apt() {
  local program=$1
  shift
  "$program" -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferencesparts=/dev/null -o Dir::State="$work/apt/state" -o Dir::Cache="$work/apt/cache" \
    -o Dir::State::status=/var/lib/dpkg/status -o APT::Sandbox::User= "$@"
}

# The mirror from which this system gets its own packages, from either of apt's two notations.
mirror() {
  {
    sed -n 's/^URIs:[[:space:]]*//p' /etc/apt/sources.list.d/debian.sources || true
    sed -nE 's/^deb (\[[^]]*\] )?([^ ]+) .*/\2/p' /etc/apt/sources.list || true
  } 2>/dev/null | cut -d ' ' -f 1 | sed -n 1p
}

apt_lists() {
  local uri release
  [[ -e $work/apt/ready ]] && return
  uri=$(mirror)
  [[ -n $uri ]] || fail "no mirror is configured in /etc/apt."
  mkdir -p "$work"/apt/state/lists/partial "$work"/apt/cache/archives/partial
  for release in sid trixie; do
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $release main"
  done >"$work/apt/sources.list"
  say "reading the lists of source packages"
  quietly private_apt apt-get update || fail "the lists of source packages cannot be read."
  touch "$work/apt/ready"
}

# Downloads the upstream archive of the newest version that the mirror really has, and unpacks it.
fetch() {
  local name=$1 versions version folder=$work/source/$1
  [[ -e $folder/version ]] && return
  apt_lists
  rm -rf "$folder"
  mkdir -p "$folder/archive" "$folder/tree"
  mapfile -t versions < <(private_apt apt-cache showsrc --only-source "$name" |
    awk '/^Version:/ { print $2 }' | sort -ruV)
  for version in "${versions[@]}"; do
    (cd "$folder/archive" && private_apt apt-get --quiet source --only-source --download-only --tar-only \
      "$name=$version" >../log 2>&1) || continue
    tar -xf "$folder"/archive/*.tar.* -C "$folder/tree" --strip-components=1
    # Without the epoch, Debian's revision, and Debian's note of files that it left out.
    version=${version#*:}
    version=${version%-*}
    echo "${version%+*}" >"$folder/version"
    return
  done
  tail -n 5 "$folder/log" >&2 || true
  fail "the source of $name cannot be downloaded."
}
