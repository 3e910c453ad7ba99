#!/usr/bin/env bash
# Measures processes of several hosts (far.c): network namespaces of this machine. Needs root, and an MPI.
#
#   bench/far/run.sh [HOSTS:MICROSECONDS...]      default: 1:0 2:0 2:100 2:500 4:500; 1: one host, all by MPI
#
# Settings: DVM_TEST_MPIS, names of tools/mpis.sh (default: openmpi mpich5); DVM_LEVEL=funneled: one thread drives MPI.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
work=$(mktemp -d)
trap 'rm -rf "$work"; "$root/tools/hosts.sh" down' EXIT
for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/$name"; done
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ $# -gt 0 ] || set -- 1:0 2:0 2:100 2:500 4:500
for mpi in ${DVM_TEST_MPIS:-openmpi mpich5}; do
    "$root/tools/mpis.sh" cc "$mpi" -std=c99 -D_GNU_SOURCE -O2 -Wall -Wextra -I"$root/include" -rdynamic -o "$work/far" \
        "$root/bench/far/far.c" -L"$work" -ldvm -lpthread
    for one in "$@"; do
        hosts=${one%:*} delay=${one#*:} processes=$((${one%:*} > 1 ? ${one%:*} : 4))
        [ "$hosts" -eq 1 ] || "$root/tools/hosts.sh" up "$hosts" "$delay"
        echo "$mpi, $hosts hosts, $delay us, $processes processes"
        DVM_RINGS=0 DVM_TEST_HOSTS=$hosts timeout -k 5 120 "$root/tools/mpis.sh" run "$mpi" "$processes" -- "$work/far" 2 "${DVM_LEVEL:-}"
    done
done
