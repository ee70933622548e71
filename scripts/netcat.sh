# shellcheck shell=bash
# Sends a stream over loopback with any installed netcat. demo.sh sources this file, which uses its
# functions `start`, `running` and `stop`.
#
# There are several netcats with different options. find_netcat sets `netcat` to a command that was
# tried and works, or to nothing, and `dialect` to the kind of its options. The netcat of Busybox is
# left out, because it can only listen on all interfaces.
netcat=
dialect=

# Receives on a local port and writes to stdout, until the sender is done.
receive() {
  local port=$1
  case $dialect in
    openbsd) $netcat -l 127.0.0.1 "$port" ;;
    ncat) $netcat --recv-only -l 127.0.0.1 "$port" ;;
    traditional) $netcat -l -s 127.0.0.1 -p "$port" ;;
  esac
}

# Sends stdin to a local port, until stdin ends.
send() {
  local port=$1
  case $dialect in
    openbsd) $netcat -N 127.0.0.1 "$port" ;;
    ncat) $netcat --send-only 127.0.0.1 "$port" ;;
    traditional) $netcat -q 1 127.0.0.1 "$port" ;;
  esac
}

# Prints the kind of a netcat, from its help.
dialect_of() {
  local help
  help=$($1 -h 2>&1 </dev/null || true)
  case $help in
    *OpenBSD*) echo openbsd ;;
    *Ncat*) echo ncat ;;
    *'-q secs'*) echo traditional ;;
  esac
}

# Whether a program listens on a port. It asks the kernel, because the listener would take a trial
# connection for the real connection.
listening() {
  local hex
  printf -v hex '%04X' "$1"
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":$hex [0-9A-F]*:0000 0A"
}

# Starts a function with a free port as its last argument, and returns when it listens there. Its
# process group is then in `listener`, and the port in `port`.
start_listener() {
  local _
  for _ in {1..8}; do
    # Below 32768, from which on Linux assigns ports itself.
    port=$((20000 + RANDOM % 12000))
    ! listening "$port" || continue
    start "$@" "$port"
    listener=$!
    for _ in {1..100}; do
      ! listening "$port" || return 0
      # Another program may have taken the port.
      running "$listener" || break
      sleep 0.05
    done
    stop "$listener"
  done
  return 1
}

receive_probe() { receive "$2" >"$1"; }
send_probe() { send "$2" <"$1"; }

# Whether the netcat sends a file correctly and both ends stop. It uses a folder for temporary files.
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
  # An end that still runs has not noticed the end of the stream, so this netcat is not used.
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
