#!/usr/bin/env bash
# make demo: sends a stream like that of a database through pzcomp, over the network and back, and compares it byte for
# byte. Then it measures pzcomp beside the installed gzip and pigz on the same data.
#
# It installs nothing. PZCOMP and CORPUS name the binaries, and DEMO_MIB the length of the data in MiB (256).
. "$(dirname "$0")/recipes/common.sh"

# gzip is slow, so it gets at most this much.
readonly slice_mib=64
mib=${DEMO_MIB:-256}
# shellcheck disable=SC2046 # numbers
stop() { kill $(jobs -p) && wait; }

generate() { "$CORPUS" pages "$((mib << 20))" 7 | tee plain; }

transfer() {
  local way port receiver begun=$EPOCHREALTIME
  if find_netcat; then
    way="over loopback by $netcat"
    port=$(free_port)
    "$netcat" -l 127.0.0.1 "$port" | pzcomp -d | sha256sum >arrived &
    receiver=$!
    wait_for listening "$port"
    generate | pzcomp | "$netcat" -N 127.0.0.1 "$port"
    wait "$receiver"
  else
    way='through a plain pipe, as the netcat of OpenBSD is not installed,'
    generate | pzcomp | pzcomp -d | sha256sum >arrived
  fi
  echo "demo: $mib MiB went $way in $(seconds_since "$begun") s"
  sha256sum <plain | diff - arrived
  echo "demo: they arrived whole: checksum $(cut -c 1-64 arrived) at both ends"
}

# row NAME PLAIN CODER DECODER: measures one tool and prints its line.
row() {
  local begun coder decoder coding decoding
  read -ra coder <<<"$3"
  read -ra decoder <<<"$4"
  begun=$EPOCHREALTIME
  "${coder[@]}" <"$2" >coded
  coding=$(seconds_since "$begun")
  begun=$EPOCHREALTIME
  "${decoder[@]}" <coded | cat >/dev/null
  decoding=$(seconds_since "$begun")
  "${decoder[@]}" <coded | cmp - "$2"
  awk -v name="$1" -v plain="$(wc -c <"$2")" -v coded="$(wc -c <coded)" -v coding="$coding" -v decoding="$decoding" '
    function speed(seconds) { return plain / 1e6 / (seconds + 0.001) }
    BEGIN { printf "%-18s %5d  %10.2f %6d  %7.2f  %12.2f %6d\n", name, plain / 2 ^ 20, coding, speed(coding),
      100 * coded / plain, decoding, speed(decoding) }'
}

transfer
printf 'demo: on %s cores, each tool by its defaults:\n\n' "$(nproc)"
printf '%-18s %5s  %10s %6s  %7s  %12s %6s\n' tool MiB 'compress s' MB/s 'size %' 'decompress s' MB/s
row 'pzcomp (zstd -3)' plain pzcomp 'pzcomp -d'
row 'pzcomp -F gzip' plain 'pzcomp -F gzip' 'pzcomp -d'
if command -v pigz >/dev/null; then
  row pigz plain 'pigz -c' 'pigz -dc'
else
  echo 'demo: there is no pigz to compare with'
fi
head -c "$((slice_mib << 20))" plain >slice
row gzip slice 'gzip -c' 'gzip -dc'
