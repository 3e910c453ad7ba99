#!/usr/bin/env bash
# Measures redistributions over processes of this host (over_processes.c), under Open MPI: libdvm, MPI_Alltoallw with prebuilt
# datatypes and, where it is installed, ScaLAPACK, as multiples of memcpy of the same bytes by the same processes.
#
#   bench/redist/over_processes.sh [N [RUNS]]      default: 4096 7; checks each element of each way
#
# Settings: DVM_BENCH_PROCESSES (default: 2 4); LIBDVM (default: cargo's build), beside which the plugin for Open MPI lies.
set -euo pipefail
export LC_ALL=C
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
command -v mpicc.openmpi >/dev/null && command -v mpirun.openmpi >/dev/null || { echo "left out: there is no Open MPI"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/$name"; done
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
compile=(mpicc.openmpi -std=gnu11 -O2 -Wall -Wextra -I"$root/include" -o "$work/over_processes" "$root/bench/redist/over_processes.c" -L"$work" -ldvm)
"${compile[@]}" -DSCALAPACK -lscalapack-openmpi 2>/dev/null || { echo "left out: ScaLAPACK (libscalapack-openmpi-dev)"; "${compile[@]}"; }

# The median of each way's seconds, and of its multiples of memcpy.
table() {
    awk -v case="$1" -v processes="$2" '
        { if ($1 == "memcpy") base = $2; count[$1]++; time[$1, count[$1]] = $2; ratio[$1, count[$1]] = $2 / base }
        function median(list, name, k, n, i, sorted) {
            n = count[name]
            for (i = 1; i <= n; i++) { for (k = i; k > 1 && sorted[k - 1] > list[name, i]; k--) sorted[k] = sorted[k - 1]; sorted[k] = list[name, i] }
            return sorted[int((n + 1) / 2)]
        }
        END {
            for (w = 1; w <= split("memcpy dvm alltoallw scalapack", way, " "); w++)
                if (count[way[w]])
                    printf "%-16s %9d  %-10s %10.2f ms  %7.2f\n", case, processes, way[w], 1e3 * median(time, way[w]), median(ratio, way[w])
        }'
}

printf '%-16s %9s  %-10s %13s  %7s\n' case processes way "time" "ratio"
for processes in ${DVM_BENCH_PROCESSES:-2 4}; do
    for case in rows-to-columns 64-to-96 transposed; do
        timeout -k 10 600 mpirun.openmpi --oversubscribe --mca mpi_yield_when_idle 1 -n "$processes" \
            "$work/over_processes" "$case" "${1:-4096}" "${2:-7}" >"$work/times" || { echo "FAILED $case, $processes processes"; exit 1; }
        table "$case" "$processes" <"$work/times"
    done
done
