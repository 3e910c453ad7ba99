#!/usr/bin/env bash
# Builds the examples against libdvm, runs them, and compares their output with the .expected files.
#
#   examples/run.sh [NAME...]      for example 03_dataflow; without names, all with an expected output
#
# dvmcc compiles C programs with a region pragma. Settings: LIBDVM, the shared library (default: cargo's build
# in target/release); DVMCC, DVMFC, DVMRUN (default: those in target/release); CC; CXX; FC; DVM_EXAMPLE_FLAGS, more options for all compilers.
# A program that calls dvm_serve, redistributes over processes or has a region across them also runs as several: DVM_TEST_PROCESSES (default: c-tests/several/processes) says how many.
# NAME.tasks.c is a shared object that the program is linked with; NAME.worker.c the program of all processes but the first.
# DVM_TEST_MPIS, names of tools/mpis.sh: programs with workers are started by these MPIs as well, by rings and all by MPI.
# A line `environment: NAME=VALUE` sets a variable for that.
# A line `needs: -OPTION` in a program is an option for its compiler. If a program's options do not link, the script names the
# program and skips it. Exit status 0: all others printed the expected output.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
release=${CARGO_TARGET_DIR:-$root/target}/release
include=$root/include
dvmcc=${DVMCC:-$release/dvmcc}
dvmfc=${DVMFC:-$release/dvmfc}
dvmrun=${DVMRUN:-$release/dvmrun}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -r -a flags <<<"${DVM_EXAMPLE_FLAGS:-}"
count=0 failures=0

if [ -z "${LIBDVM:-}" ]; then
    (cd "$root" && cargo build --release --locked --quiet --workspace --lib --bins) || exit 1
fi
# The library under the names that linkers and programs use.
mkdir "$work/lib" && for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/lib/$name"; done
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
link=(-L"$work/lib" -ldvm)

build() {
    local source=$1 program=$2 parts=${1%.c}
    if [ -e "$parts.tasks.c" ]; then
        compile -shared -fPIC -o "$work/lib/lib$(basename "$program").so" "$parts.tasks.c" || return
        needs+=("-l$(basename "$program")")
    fi
    if [ -e "$parts.worker.c" ]; then
        compile -o "$program.worker" "$parts.worker.c" "${link[@]}" || return
        # shellcheck disable=SC2016
        printf '#!/bin/sh\n[ "${DVM_PROCESS:-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 0 ] && exec %s\nexec %s\n' "'$program'" "'$program.worker'" >"$program.start"
        chmod +x "$program.start"
    fi
    if grep -qi '^ *!\$dvm region' "$source"; then
        (cd "$work" && DVM_FC=${FC:-gfortran} "$dvmfc" -O2 -Wall "${flags[@]}" -o "$program" "$source" "${link[@]}")
    elif [[ $source == *.f90 ]]; then
        (cd "$work" && "${FC:-gfortran}" -O2 -Wall "${flags[@]}" -o "$program" "$include/dvm.f90" "$source" "${link[@]}")
    elif [[ $source == *.cpp ]]; then
        "${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra -Werror "${flags[@]}" -I"$include" -o "$program" "$source" "${link[@]}"
    elif grep -qE '^[[:space:]]*#[[:space:]]*pragma[[:space:]]+(dvm[[:space:]]+region|scop)' "$source"; then
        "$dvmcc" -O2 "${flags[@]}" -I"$include" -o "$program" "$source" "${link[@]}" -lm
    else
        compile -o "$program" "$source" "${link[@]}" "${needs[@]}"
    fi
}

compile() { "${CC:-cc}" -std=c11 -O2 -Wall -Wextra -Werror "${flags[@]}" -I"$include" "$@"; }

# The options that a program needs in addition to libdvm, and whether the machine supports them.
needed_by() { sed -n 's/^ \* needs: \(-[^ ]*\).*/\1/p' "$1"; }
have() { echo 'int main(void) { return 0; }' | "${CC:-cc}" "$@" -x c - -x none -o "$work/probe" "$@" >"$work/log" 2>&1; }

# The ways to start a program, one a line.
starts() {
    local number program=$1 mpi rings ship environment
    environment=$(sed -n 's/^ \* environment: /env /p' "$2")
    ship=$environment
    echo "$program"
    if [ -e "$program.start" ]; then program=$program.start ship="env DVM_SHIP_CODE=1"; else grep -q 'dvm_serve()\|DVM_REDISTRIBUTION_COLLECTIVE\|pragma dvm region across' "$2" || return 0; fi
    for number in ${DVM_TEST_PROCESSES:-$(<"$root/c-tests/several/processes")}; do
        echo "$ship $dvmrun -n $number --timeout 110 $program"
    done
    [ -e "$1.start" ] || return 0
    for mpi in ${DVM_TEST_MPIS:-}; do
        for rings in 1 0; do echo "$ship DVM_RINGS=$rings $root/tools/mpis.sh run $mpi 3 -- $program"; done
    done
}

# failed NAME WHAT: reports a failure, with the last command's output.
failed() {
    failures=$((failures + 1))
    echo "FAILED $1 $2"
    sed 's/^/    | /' "$work/log"
}

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for expected in "$here"/*.expected; do names+=("$(basename "$expected" .expected)"); done
fi
for name in "${names[@]}"; do
    count=$((count + 1))
    source=
    : >"$work/log"
    for candidate in "$here/$name".{c,cpp,f90}; do [ -e "$candidate" ] && source=$candidate; done
    if [ -z "$source" ]; then
        failed "$name" "does not exist"
    elif mapfile -t needs < <(needed_by "$source") && [ ${#needs[@]} -gt 0 ] && ! have "${needs[@]}"; then
        count=$((count - 1))
        echo "SKIPPED $name: needs ${needs[*]}: $(sed -n 's/^ \* needs: .*(\(.*\)).*/\1/p' "$source" | paste -sd';')"
    elif ! build "$source" "$work/$name" >"$work/log" 2>&1; then
        failed "$name" "does not build"
    else
        while read -r -a start; do
            if ! timeout 120 "${start[@]}" >"$work/output" 2>"$work/log" </dev/null; then
                failed "$name" "ends with an error, or did not end within two minutes (${start[*]%"$work/$name"})"
            elif ! diff -u --label expected --label found "$here/$name.expected" "$work/output" >"$work/log"; then
                failed "$name" "prints something else (${start[*]%"$work/$name"})"
            else
                continue
            fi
            break
        done < <(starts "$work/$name" "$source")
    fi
done

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ] && [ $count -gt 0 ]
