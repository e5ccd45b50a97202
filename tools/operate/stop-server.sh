#!/bin/sh
# Stops the server of the folder this script is in: asks it to say goodbye to its users, waits for
# 10 seconds, then insists.
set -eu

pid_file=samara.pid
wait_s=10

usage() {
  cat <<'TEXT'
Usage: ./stop-server.sh [--wait SECONDS]

  --wait SECONDS  how long to wait before insisting [default: 10]; with shutdown.drain_s in the
                  configuration at least as long as that, or games that run are cut off
TEXT
}

fail() {
  echo "stop-server.sh: $1" >&2
  exit "${2:-1}"
}

# The command line of a process, whoever owns it; nothing if there is none.
command_of() {
  if [ -r "/proc/$1/cmdline" ]; then
    tr '\0' ' ' <"/proc/$1/cmdline"
  elif [ ! -d /proc/self ]; then
    echo "$(ps -p "$1" -o args= 2>/dev/null) "
  fi
}

# Whether a process runs and is a server: numbers are used again.
is_running() {
  case $(command_of "$1") in *' serve '*) return 0 ;; *) return 1 ;; esac
}

# Waits for so many seconds at most; fails if it still runs then.
wait_for_end() {
  left=$1
  while is_running "$pid"; do
    [ "$left" -gt 0 ] || return 1
    left=$((left - 1))
    sleep 1
  done
}

while [ $# -gt 0 ]; do
  case $1 in
    --wait)
      case ${2:-} in '' | *[!0-9]* | 0?*) fail "--wait needs a number of seconds" 2 ;; esac
      wait_s=$2
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift
done

cd "$(dirname "$0")" || fail "cannot enter its own folder"

pid=
[ ! -f "$pid_file" ] || pid=$(cat "$pid_file")
case $pid in *[!0-9]*) fail "$pid_file holds no process number" ;; esac
if [ -z "$pid" ] || ! is_running "$pid"; then
  rm -f "$pid_file"
  echo "not running"
  exit 0
fi

kill -TERM "$pid" 2>/dev/null ||
  fail "process $pid is another user's: run this as that user or as root, say with sudo"
if ! wait_for_end "$wait_s"; then
  echo "it still runs after $wait_s seconds: insisting"
  # A second signal ends it at once; nothing outlives the third.
  kill -TERM "$pid" 2>/dev/null || true
  if ! wait_for_end 2; then
    kill -KILL "$pid" 2>/dev/null || true
    wait_for_end 5 || fail "process $pid does not end"
  fi
fi
rm -f "$pid_file"
echo "stopped"
