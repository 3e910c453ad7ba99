#!/usr/bin/env bash
# Builds the programs that have an MPI of their own, with each MPI that is there, and runs each as 4 processes:
# those of one host joined by rings, and by MPI. An MPI that is missing, or has no plugin, is left out by name.
#
#   c-tests/mpi/run.sh [NAME...]      for example split; without names, all
#
# A program passes if it ends with 0 in time and says `NAME: ok`. Each line `arguments: ...` of a program is one run.
# Settings: LIBDVM, the shared library beside its plugins (default: target/release); DVM_TEST_SECONDS, how long a run may take
# (default 120).
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$(dirname "$here")")
release=${CARGO_TARGET_DIR:-$root/target}/release
seconds=${DVM_TEST_SECONDS:-120}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failures=0

if [ -z "${LIBDVM:-}" ]; then
    (cd "$root" && cargo build --release --locked --quiet -p dvm --lib) || exit 1
fi
library=$(realpath "${LIBDVM:-$release/libdvm.so}")
mkdir "$work/lib" && for name in libdvm.so libdvm.so.0; do ln -s "$library" "$work/lib/$name"; done
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
DVM_PLUGIN_DIR=${DVM_PLUGIN_DIR:-$(dirname "$library")}
export DVM_PLUGIN_DIR
# Open MPI refuses to run as root without these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# failed WHAT: reports a failure, with the last command's output.
failed() {
    failures=$((failures + 1))
    echo "FAILED $1"
    tail -n 40 "$work/log" | sed 's/^/    | /'
}

# build NAME MPI: the program; 2 if what it needs is not there.
build() {
    local name=$1 mpi=$2
    if [ -f "$here/$name.c" ]; then
        "mpicc.$mpi" -std=c99 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -I"$root/include" -rdynamic \
            -o "$work/$name.$mpi" "$here/$name.c" -L"$work/lib" -ldvm
        return
    fi
    mkdir -p "$work/$mpi" && cd "$work/$mpi" || return
    printf 'program p\nuse mpi\nend program\n' >probe.f90
    if ! { command -v "mpif90.$mpi" && "mpif90.$mpi" -o probe probe.f90; } >/dev/null 2>&1; then
        echo "left out: $name with $mpi (no compiler has its module mpi)"
        return 2
    fi
    "mpif90.$mpi" -O1 -g -Wl,-export-dynamic -o "$work/$name.$mpi" "$root/include/dvm.f90" "$here/$name.f90" -L"$work/lib" -ldvm
}

# run NAME MPI RINGS ARGUMENT...
run() {
    local name=$1 mpi=$2 rings=$3 launcher=("mpirun.$2")
    shift 3
    count=$((count + 1))
    # Open MPI counts cores, and its processes wait without rest.
    [ "$mpi" = openmpi ] && launcher+=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
    if ! DVM_RINGS=$rings timeout -k 10 "$seconds" "${launcher[@]}" -n 4 "$work/$name.$mpi" "$@" </dev/null >"$work/log" 2>&1; then
        failed "$name $* with $mpi, DVM_RINGS=$rings"
    elif ! grep -qx "$name: ok" "$work/log"; then
        failed "$name $* with $mpi, DVM_RINGS=$rings: it does not say '$name: ok'"
    fi
}

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for source in "$here"/*.c "$here"/*.f90; do
        name=$(basename "$source")
        names+=("${name%.*}")
    done
fi
for mpi in openmpi mpich; do
    if ! command -v "mpicc.$mpi" "mpirun.$mpi" >/dev/null || [ ! -f "$DVM_PLUGIN_DIR/libdvm_mpi_$mpi.so" ]; then
        echo "left out: $mpi (mpicc.$mpi, mpirun.$mpi or libdvm_mpi_$mpi.so is missing)"
        continue
    fi
    for name in "${names[@]}"; do
        (build "$name" "$mpi") >"$work/log" 2>&1
        status=$?
        if [ $status -eq 2 ]; then
            cat "$work/log"
            continue
        elif [ $status -ne 0 ]; then
            count=$((count + 1))
            failed "$name: does not build with $mpi"
            continue
        fi
        mapfile -t lines < <(sed -n 's/^.*arguments: *\([a-z]*\).*$/\1/p' "$here/$name".*)
        [ ${#lines[@]} -gt 0 ] || lines=("")
        for rings in 1 0; do
            for line in "${lines[@]}"; do
                read -r -a arguments <<<"$line"
                run "$name" "$mpi" "$rings" "${arguments[@]}"
            done
        done
    done
done

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ]
