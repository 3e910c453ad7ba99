#!/usr/bin/env bash
# Hosts for tests, as network namespaces of this machine that a bridge or a slow wire joins. Needs root.
#
#   tools/hosts.sh up N [DELAY]      makes N hosts; DELAY: microseconds from each to each other one (default: 0)
#   tools/hosts.sh down              removes them, and ends what runs in them
#   tools/hosts.sh list N            the addresses of the first N
#   tools/hosts.sh on ADDRESS -- COMMAND...    runs a command on a host
#   tools/hosts.sh [-OPTION...] ADDRESS COMMAND...    the same as launchers of MPI ask a remote shell for it
#
# All processes share this machine's memory and process numbers: only the network, and the host's name, are each host's own.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
prefix=dvmtest
network=10.91.7
# Namespaces that `down` removes are those of this name.
wire=${prefix}-wire

host() { echo "$prefix-${1##*.}"; }

# The wire that delays, by tc or by a program of ours where the kernel has no netem.
delay() {
  local number=$1 microseconds=$2 at ports=() program
  for at in $(seq "$number"); do
    ip -n "$wire" link set "port$at" master bridge
    if ! ip netns exec "$wire" tc qdisc add dev "port$at" root netem delay "${microseconds}us" 2>/dev/null; then
      ports+=("port$at")
    fi
  done
  [ ${#ports[@]} -gt 0 ] || return 0
  for at in "${ports[@]}"; do ip -n "$wire" link set "$at" nomaster; done
  program=${TMPDIR:-/tmp}/$prefix-wire-program
  cc -O2 -Wall -Wextra -o "$program" "$here/slow_wire.c"
  # Ahead of what it serves: many of those keep a core busy.
  ip netns exec "$wire" chrt -f 10 "$program" "$microseconds" "${ports[@]}" </dev/null >/dev/null 2>&1 &
  disown
}

up() {
  local number=$1 at
  down
  ip netns add "$wire"
  ip -n "$wire" link add bridge type bridge
  ip -n "$wire" link set bridge up
  for at in $(seq "$number"); do
    ip netns add "$prefix-$at"
    ip -n "$wire" link add "port$at" type veth peer name eth0 netns "$prefix-$at"
    ip -n "$wire" link set "port$at" up
    ip -n "$prefix-$at" addr add "$network.$at/24" dev eth0
    ip -n "$prefix-$at" link set lo up
    ip -n "$prefix-$at" link set eth0 up
  done
  if [ "${2:-0}" -gt 0 ]; then delay "$number" "$2"; else
    for at in $(seq "$number"); do ip -n "$wire" link set "port$at" master bridge; done
  fi
}

down() {
  local name process
  for name in $(ip netns list | cut -d ' ' -f 1 | grep "^$prefix-" || true); do
    for process in $(ip netns pids "$name"); do kill "$process" 2>/dev/null || true; done
    ip netns del "$name"
  done
}

# on ADDRESS WORD...: a shell reads the words, as of a remote shell.
on() {
  local name
  name=$(host "$1")
  shift
  # shellcheck disable=SC2016
  exec ip netns exec "$name" unshare --uts -- /bin/sh -c 'hostname "$0" && eval "$*"' "$name" "$*"
}

case ${1:-} in
  up) up "$2" "${3:-0}" ;;
  down) down ;;
  list) for at in $(seq "$2"); do echo "$network.$at"; done ;;
  on)
    name=$(host "$2")
    shift 3
    # shellcheck disable=SC2016
    exec ip netns exec "$name" unshare --uts -- /bin/sh -c 'hostname "$0" && exec "$@"' "$name" "$@"
    ;;
  '') sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 2 ;;
  *)
    while [[ $1 == -* ]]; do shift; done
    on "$@"
    ;;
esac
