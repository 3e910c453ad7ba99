#!/usr/bin/env bash
# The times of docs/book/comparison.md: takes the programs out of the page, compiles them as the page does, and runs them in turns,
# each with two threads or workers.
#
#   bench/comparison.sh
#
# A line per program and size: the median of all rounds, the least and the greatest, in seconds, and how it compares with
# the first of its group. What is not installed is left out. Ends with 1 if results differ.
# Folders of peers that no package has: TASKFLOW (holds `taskflow/taskflow.hpp`), PARSEC (installed: `lib/pkgconfig/parsec.pc`), PLUTO
# (holds `polycc`; its program runs twice, with tiles and without).
# Settings: ROUNDS (default 5), SIZES ("N:STEPS ..." of the stencil, default "1000:100 3000:200"); DVMCC, LIBDVM (default: cargo's builds).
set -uo pipefail
export LC_ALL=C
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/lib" "$work/times"
for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/lib/$name"; done
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export OMP_NUM_THREADS=2 DVM_WORKERS=2 STARPU_NCPU=2 STARPU_SILENT=1 STARPU_HOME=$work
rounds=${ROUNDS:-5} wrong=0

# The files that the page has readers write.
awk -v work="$work" '/^<!-- run: file .* -->$/ { name = $4; next } /^```$/ { file = ""; next }
    /^```/ { file = name == "" ? "" : work "/" name; name = ""; next } file != "" { print > file }' "$root/docs/book/comparison.md"
cd "$work" || exit 1

# made NAME COMMAND...: compiles a program, or says that it is left out.
programs=()
made() {
    local name=$1
    shift
    if "$@" -o "$name" >log 2>&1; then programs+=("$name"); else echo "$name was left out: $(head -n 1 log)"; fi
}

# folder SETTING NAME: whether the variable SETTING names a folder; if not, says that the program NAME is left out.
folder() {
    [ -d "${!1-}" ] || { echo "$2 was left out: $1 names no folder" && return 1; }
}

# pluto FLAG... -o NAME: compiles the stencil by Pluto, with OpenMP.
pluto() {
    sed 's/^    for (int t/#pragma scop\n&/; s/^    fprintf/#pragma endscop\n&/' sized.c >sized_scop.c
    "$PLUTO/polycc" --silent "${@:1:$#-2}" sized_scop.c -o sized_pluto.c &&
        "${CC:-cc}" "${flags[@]}" -fopenmp sized_pluto.c -lm -o "${@: -1}"
}

# in_turns WHAT: runs all programs in turns, and prints their times; each says its own on the standard error output.
in_turns() {
    local round name first
    rm -f times/* result.*
    for ((round = 0; round < rounds; round++)); do
        for name in "${programs[@]}"; do
            timeout 600 "./$name" >"result.$name" 2>said || { echo "FAILED $name"; wrong=1; }
            grep -oE '[0-9]+\.[0-9]+ s$' said | tail -n 1 | cut -d' ' -f1 >>"times/$name"
            cmp -s "result.$name" "result.${programs[0]}" || { echo "FAILED $name: another result"; wrong=1; }
        done
    done
    echo "$1"
    first=
    for name in "${programs[@]}"; do
        sort -n "times/$name" | awk -v name="$name" -v first="$first" '{ t[NR] = $1 }
            END { m = t[int((NR + 1) / 2)]; printf "  %-12s %8.4f (%.4f - %.4f)", name, m, t[1], t[NR]
                  if (first != "") printf "  %.2f x", first / m; print "" }'
        [ -n "$first" ] || first=$(sort -n "times/$name" | sed -n "$(((rounds + 1) / 2))p")
    done
    programs=()
}

flags=(-O3 -march=native -ffp-contract=off)
for size in ${SIZES:-1000:100 3000:200}; do
    sed -e "s/^#define N .*/#define N ${size%:*}/" -e "s/^#define STEPS .*/#define STEPS ${size#*:}/" plate.c >sized.c
    sed 's/^        for (int i/#pragma omp parallel for\n&/' sized.c >sized_omp.c
    sed 's/^    for (int t/#pragma dvm region\n&/' sized.c >sized_dvm.c
    made plate "${CC:-cc}" "${flags[@]}" sized.c
    made plate_omp "${CC:-cc}" "${flags[@]}" -fopenmp sized_omp.c
    made plate_polly clang-19 "${flags[@]}" -mllvm -polly -mllvm -polly-parallel sized.c -lgomp "-L$(dirname "$(cc -print-file-name=libgomp.so)")"
    if folder PLUTO plate_pluto; then
        made plate_pluto pluto --tile --parallel
        made pluto_sweeps pluto --notile --parallel --innerpar
    fi
    made plate_dvm env DVM_PREFIX= "${DVMCC:-$release/dvmcc}" "${flags[@]}" "-I$root/include" sized_dvm.c "-L$work/lib"
    in_turns "stencil of ${size%:*} x ${size%:*} points, ${size#*:} steps"
done

flags=(-O3 -march=native)
dvm=("-I$root/include" "-L$work/lib")
made one "${CC:-cc}" "${flags[@]}" openmp.c -lm
made openmp "${CC:-cc}" "${flags[@]}" -fopenmp openmp.c -lm
read -r -a starpu < <(pkg-config --cflags --libs starpu-1.3 2>/dev/null | tr '\n' ' ') || true
made starpu "${CC:-cc}" "${flags[@]}" starpu.c "${starpu[@]}" -lm
if folder PARSEC parsec; then
    read -r -a parsec < <(PKG_CONFIG_PATH=$PARSEC/lib/pkgconfig pkg-config --cflags --libs parsec | tr '\n' ' ') || true
    made parsec "${CC:-cc}" "${flags[@]}" parsec.c "${parsec[@]}" "-Wl,-rpath,$PARSEC/lib" -lm
fi
folder TASKFLOW taskflow && made taskflow "${CXX:-c++}" -std=c++20 "${flags[@]}" "-I$TASKFLOW" taskflow.cpp -pthread
made dvm "${CC:-cc}" "${flags[@]}" "${dvm[@]}" dvm.c -ldvm -lm
made dvm_cpp "${CXX:-c++}" -std=c++17 "${flags[@]}" "${dvm[@]}" dvm.cpp -ldvm
in_turns "Cholesky of 16 x 16 tiles of 128 x 128 numbers"
exit $wrong
