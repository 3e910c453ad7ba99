#!/usr/bin/env bash
# Builds the programs that have an MPI of their own, with each MPI that is there, and runs each as several processes:
# those of one host joined by rings, and by MPI. An MPI that is missing, or has no plugin, is left out by name.
#
#   c-tests/mpi/run.sh [NAME...]      for example split; without names, all
#
# A program passes if it ends with 0 in time and says `NAME: ok`. Each line `arguments: ...` of a program is one run. A line
# `processes: N...` says how many there may be (default: 4), a line `MPI: none` that it has none of its own.
# Settings: LIBDVM, the shared library beside its plugins (default: target/release); DVM_TEST_SECONDS, how long a run may take
# (default 120); DVM_TEST_MPIS, the MPIs by their names of tools/mpis.sh (default: Debian's); DVM_TEST_RINGS (default: 1 0).
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
    (cd "$root" && cargo build --release --locked --quiet --workspace --lib --bins) || exit 1
fi
library=$(realpath "${LIBDVM:-$release/libdvm.so}")
mkdir "$work/lib" && for name in libdvm.so libdvm.so.0; do ln -s "$library" "$work/lib/$name"; done
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
mpis=$root/tools/mpis.sh

# failed WHAT: reports a failure, with the last command's output.
failed() {
    failures=$((failures + 1))
    echo "FAILED $1"
    tail -n 40 "$work/log" | sed 's/^/    | /'
}

# said NAME WHAT: what a program says of itself.
said() { sed -n "s/^.*[*!] $2: *\([a-z0-9 ]*[a-z0-9]\).*$/\1/p" "$here/$1".*; }

# build NAME MPI: the program; 2 if what it needs is not there.
build() {
    local name=$1 mpi=$2 flags=(-std=c99 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -I"$root/include" -rdynamic)
    if [ "$(said "$name" MPI)" = none ]; then
        cc "${flags[@]}" -o "$work/$name.$mpi" "$here/$name.c" -L"$work/lib" -ldvm -lpthread
        return
    elif [ -f "$here/$name.c" ]; then
        "$mpis" cc "$mpi" "${flags[@]}" -o "$work/$name.$mpi" "$here/$name.c" -L"$work/lib" -ldvm -lpthread
        return
    fi
    mkdir -p "$work/$mpi" && cd "$work/$mpi" || return
    printf 'program p\nuse mpi\nend program\n' >probe.f90
    if ! "$mpis" fc "$mpi" -o probe probe.f90 >/dev/null 2>&1; then
        echo "left out: $name with $mpi (no compiler has its module mpi)"
        return 2
    fi
    "$mpis" fc "$mpi" -O1 -g -Wl,-export-dynamic -o "$work/$name.$mpi" "$root/include/dvm.f90" "$here/$name.f90" -L"$work/lib" -ldvm
}

# run NAME MPI RINGS PROCESSES ARGUMENT...
run() {
    local name=$1 mpi=$2 rings=$3 processes=$4
    shift 4
    count=$((count + 1))
    if ! DVM_RINGS=$rings timeout -k 10 "$seconds" "$mpis" run "$mpi" "$processes" -- "$work/$name.$mpi" "$@" </dev/null >"$work/log" 2>&1; then
        failed "$name $* with $mpi, $processes processes, DVM_RINGS=$rings"
    elif grep -q "^$name: left out" "$work/log"; then
        count=$((count - 1))
        echo "left out: $name $* with $mpi: $(sed -n "s/^$name: left out //p" "$work/log" | head -n 1)"
    elif ! grep -qx "$name: ok" "$work/log"; then
        failed "$name $* with $mpi, $processes processes, DVM_RINGS=$rings: it does not say '$name: ok'"
    fi
}

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for source in "$here"/*.c "$here"/*.f90; do
        name=$(basename "$source")
        names+=("${name%.*}")
    done
fi
read -r -a wanted <<<"${DVM_TEST_MPIS:-openmpi mpich}"
there=$("$mpis" list all 2>&1)
for mpi in "${wanted[@]}"; do
    if ! grep -qx "$mpi" <<<"$there"; then
        grep "left out: $mpi " <<<"$there"
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
        mapfile -t lines < <(said "$name" arguments)
        [ ${#lines[@]} -gt 0 ] || lines=("")
        read -r -a numbers <<<"$(said "$name" processes)"
        [ ${#numbers[@]} -gt 0 ] || numbers=(4)
        for rings in ${DVM_TEST_RINGS:-1 0}; do
            for number in "${numbers[@]}"; do
                for line in "${lines[@]}"; do
                    read -r -a arguments <<<"$line"
                    run "$name" "$mpi" "$rings" "$number" "${arguments[@]}"
                done
            done
        done
    done
done

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ]
