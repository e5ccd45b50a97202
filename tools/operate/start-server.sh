#!/bin/sh
# Starts the server of the folder this script is in, like EmuLinker-K's script of the same name.
# Several folders, each with a port of its own, make several servers on one machine.
set -eu

pid_file=samara.pid
log_file=samara.log
error_file=samara.err

usage() {
  cat <<'TEXT'
Usage: ./start-server.sh [--foreground] [--jar FILE]

Serves conf/ if there is a conf/emulinker.cfg beside this script, or else samara.toml, or else the
built-in configuration. The program is $SAMARA, or samara beside this script, or on the PATH.

  --foreground  stay, and log to the terminal
  --jar FILE    accepted, as EmuLinker-K's script has it; there is no jar
TEXT
}

fail() {
  echo "start-server.sh: $1" >&2
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
  case $1 in '' | *[!0-9]*) return 1 ;; esac
  case $(command_of "$1") in *' serve '*) return 0 ;; *) return 1 ;; esac
}

foreground=no
while [ $# -gt 0 ]; do
  case $1 in
    --foreground) foreground=yes ;;
    --jar)
      [ $# -gt 1 ] || fail "--jar needs a file" 2
      echo "--jar $2 is not needed: there is no Java here"
      shift
      ;;
    --jar=*) echo "$1 is not needed: there is no Java here" ;;
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

case ${SAMARA:-} in
  /*) ;;
  */*) SAMARA=$PWD/$SAMARA ;;
esac
cd "$(dirname "$0")" || fail "cannot enter its own folder"

if [ -n "${SAMARA:-}" ]; then
  samara=$SAMARA
elif [ -x ./samara ]; then
  samara=./samara
else
  samara=samara
fi
command -v "$samara" >/dev/null 2>&1 ||
  fail "no $samara: put the program beside this script or on the PATH, or set SAMARA to where it is"

pid=
[ ! -f "$pid_file" ] || pid=$(cat "$pid_file")
if is_running "$pid"; then
  fail "already running, as process $pid; ./stop-server.sh stops it"
fi

set -- serve
if [ -f conf/emulinker.cfg ]; then
  set -- "$@" --emulinker conf
elif [ -f samara.toml ]; then
  set -- "$@" --config samara.toml
else
  echo "neither conf/emulinker.cfg nor samara.toml is here: serving the built-in configuration"
fi

if [ "$foreground" = yes ]; then
  echo $$ >"$pid_file"
  exec "$samara" "$@"
fi

touch "$log_file" || fail "cannot write $log_file"
before=$(($(wc -c <"$log_file")))
# The log is written and rolled by the program; why it could not start is on standard error.
"$samara" "$@" --log-file "$log_file" --quiet </dev/null >"$error_file" 2>&1 &
pid=$!
echo "$pid" >"$pid_file"

# What has been logged since, even if the file was begun anew meanwhile.
logged() {
  [ "$(wc -c <"$log_file")" -ge "$before" ] || before=0
  tail -c +"$((before + 1))" "$log_file"
  cat "$error_file"
}

# Ten seconds, or until it listens or is gone.
left=10
while [ "$left" -gt 0 ]; do
  left=$((left - 1))
  sleep 1
  is_running "$pid" || break
  case $(logged 2>/dev/null || true) in *'listening on udp'*) break ;; esac
done

if is_running "$pid"; then
  echo "running as process $pid; $log_file says:"
  logged 2>/dev/null || true
else
  rm -f "$pid_file"
  echo "it has not started; $log_file says:" >&2
  logged >&2 2>/dev/null || true
  exit 1
fi
