#!/usr/bin/env bash
# Runs the programs of several processes over several hosts: network namespaces, of which each pair is 0 or 500 us apart. As
# there are twice as many processes as hosts at first, those of one host have rings, the others MPI. Left out where this
# system does not allow such hosts.
#
#   c-tests/mpi/hosts.sh [NAME...]      programs of c-tests/several; without names, all
#
# Debian's MPICH 4.0.2 is not among them: over TCP its MPI_Finalize does not always end, without libdvm as well.
# Settings: DVM_TEST_MPIS (default: openmpi mpich5); DVM_TEST_HOSTS_DELAYS, runs as HOSTS:MICROSECONDS:PROCESSES
# (default: 2:0:4 2:500:4 4:500:4); those of c-tests/several/run.sh.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
hosts=$root/tools/hosts.sh
read -r -a cases <<<"${DVM_TEST_HOSTS_DELAYS:-2:0:4 2:500:4 4:500:4}"
passed=0 failed=0

if ! why=$({ "$hosts" up 2 && "$hosts" on "$("$hosts" list 1)" -- true; } 2>&1); then
    echo "left out: several hosts (this system makes no network namespaces: $(tail -n 1 <<<"$why"))"
    exit 0
fi
trap '"$hosts" down' EXIT
for one in "${cases[@]}"; do
    IFS=: read -r many delay processes <<<"$one"
    "$hosts" up "$many" "$delay"
    output=$(DVM_TEST_HOSTS=$many DVM_TEST_RINGS=1 DVM_TEST_PROCESSES=$processes DVM_TEST_MPIS=${DVM_TEST_MPIS:-openmpi mpich5} \
        "$root/c-tests/several/run.sh" "$@" 2>&1)
    echo "$many hosts, $delay us, $processes processes:"
    echo "$output"
    read -r p _ f _ < <(tail -n 1 <<<"$output")
    passed=$((passed + p)) failed=$((failed + f))
done
# The last line counts all: those above are of its parts.
echo "$passed passed over several hosts, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
