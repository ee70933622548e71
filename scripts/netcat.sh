# shellcheck shell=bash
# Sends a stream over loopback with whichever netcat is here. Sourced by demo.sh, whose `start`,
# `running` and `stop` it uses.
#
# There are several netcats, which agree on nothing but their purpose: find_netcat sets `netcat` to
# a command that has shown that it works, or to nothing, and `dialect` to how it is spoken to.
# Busybox' is left out, as it can only listen on all interfaces.
netcat=
dialect=

# Receives on a local port into stdout, until the sender is done.
receive() {
  local port=$1
  case $dialect in
    openbsd) $netcat -l 127.0.0.1 "$port" ;;
    ncat) $netcat --recv-only -l 127.0.0.1 "$port" ;;
    traditional) $netcat -l -s 127.0.0.1 -p "$port" ;;
  esac
}

# Sends stdin to a local port, and is done when stdin is.
send() {
  local port=$1
  case $dialect in
    openbsd) $netcat -N 127.0.0.1 "$port" ;;
    ncat) $netcat --send-only 127.0.0.1 "$port" ;;
    traditional) $netcat -q 1 127.0.0.1 "$port" ;;
  esac
}

# What a netcat's help says it is.
dialect_of() {
  local help
  help=$($1 -h 2>&1 </dev/null || true)
  case $help in
    *OpenBSD*) echo openbsd ;;
    *Ncat*) echo ncat ;;
    *'-q secs'*) echo traditional ;;
  esac
}

# Whether somebody listens on a port. Asked of the kernel, as a connection to find out would be
# the one that the listener is waiting for.
listening() {
  local hex
  printf -v hex '%04X' "$1"
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":$hex [0-9A-F]*:0000 0A"
}

# Starts a function with a free port as its last argument, and returns when it listens there: its
# process group is then in `listener`, the port in `port`.
start_listener() {
  local _
  for _ in {1..8}; do
    # Below 32768, where Linux begins to hand out ports by itself.
    port=$((20000 + RANDOM % 12000))
    ! listening "$port" || continue
    start "$@" "$port"
    listener=$!
    for _ in {1..100}; do
      ! listening "$port" || return 0
      # It may have lost the port to somebody else.
      running "$listener" || break
      sleep 0.05
    done
    stop "$listener"
  done
  return 1
}

receive_probe() { receive "$2" >"$1"; }
send_probe() { send "$2" <"$1"; }

# Whether the netcat carries a file across, in a folder for temporary files, and both ends stop.
works() {
  local folder=$1 sender _
  head -c 300000 /dev/urandom >"$folder/sent"
  start_listener receive_probe "$folder/received" || return 1
  start send_probe "$folder/sent" "$port"
  sender=$!
  for _ in {1..60}; do
    running "$listener" || running "$sender" || break
    sleep 0.05
  done
  # Whoever still runs has not noticed the end and is not to be relied on.
  if running "$listener" || running "$sender"; then
    stop "$listener"
    stop "$sender"
    return 1
  fi
  cmp -s "$folder/sent" "$folder/received"
}

find_netcat() {
  local folder=$1
  for netcat in nc ncat; do
    command -v "$netcat" >/dev/null || continue
    dialect=$(dialect_of "$netcat")
    if [[ -n $dialect ]] && works "$folder" 2>/dev/null; then
      return
    fi
  done
  netcat=
}
