#!/usr/bin/env bash
# Builds the programs of several processes, and runs each as 1, 2, ... processes of this host.
#
#   c-tests/several/run.sh [NAME...]      for example promises; without names, all
#
# A program passes if dvmrun ends with 0 in time and the last line is `NAME: ok`: it is the same for any number of processes.
# DVM_TEST_MPIS, names of tools/mpis.sh: each is started by these MPIs instead of dvmrun, and inside a host goes by rings
# (DVM_TEST_RINGS=1), by MPI (0), or both (default). What needs options of dvmrun is left out.
# Settings: DVM_TEST_PROCESSES, how many processes (a list; default: the file `processes`); DVM_TEST_SECONDS, how long a run may take (default 120);
# LIBDVM, the shared library, and DVMRUN (default: cargo's builds in target/release); CC; DVM_TEST_FLAGS, more options for CC.
# Lines of a program say: `arguments: ...`, one run for each such line; `library: FILE`, a source in `library` for a shared object
# that it needs; `options: ...` for dvmrun; `environment: NAME=VALUE ...`; `status: N`, its exit status if there are several processes; `kills: KIND ...`, DVM_TEST_KILLS runs more with each kind, a seed (from DVM_TEST_FIRST on) and microseconds; `only by dvmrun: REASON`; `also as: N ...`, more numbers of processes; `compiled with: OPTIONS`, further ones; `other program: OPTIONS`, how it is compiled for all processes but the first;
# `plugin: NAME FILE OPTION...`, a source in `library` for a shared object that it loads itself from the folder PLUGINS.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$(dirname "$here")")
release=${CARGO_TARGET_DIR:-$root/target}/release
processes=${DVM_TEST_PROCESSES:-$(<"$here/processes")}
seconds=${DVM_TEST_SECONDS:-120}
export DVM_TEST_ROOT=$root
work=$(mktemp -d)
export DVM_TEST_WORK=$work
trap 'rm -rf "$work"' EXIT
read -r -a flags <<<"${DVM_TEST_FLAGS:-}"
count=0 failures=0

# The whole workspace, as `make all` does: a choice of packages would be compiled anew, with features of its own.
if [ -z "${LIBDVM:-}" ] || [ -z "${DVMRUN:-}${DVM_TEST_MPIS:-}" ] || [ -z "${DVMCC:-}" ]; then
    (cd "$root" && cargo build --release --locked --quiet --workspace --lib --bins) || exit 1
fi
dvmrun=${DVMRUN:-$release/dvmrun}
# The library under the names that linkers and programs use.
mkdir "$work/lib" && for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/lib/$name"; done
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# failed WHAT: reports a failure, with the last command's output.
failed() {
    failures=$((failures + 1))
    echo "FAILED $1"
    tail -n 40 "$work/log" | sed 's/^/    | /'
}

# said NAME WHAT: what the program says of itself.
said() { sed -n "s/^ \* $2: *//p" "$here/$1.c" | sed 's,[*]/$,,'; }

# compile OPTION...: with dvmcc where a source has a region pragma.
compile() {
    local compiler=${CC:-cc} source
    for source in "$@"; do
        if [[ $source == *.c ]] && grep -q '^#pragma dvm region' "$source"; then compiler=${DVMCC:-$release/dvmcc}; fi
    done
    "$compiler" -std=c99 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror "${flags[@]}" -I"$root/include" "$@"
}

# build_plugins NAME: shared objects that the program loads itself, from the folder PLUGINS.
build_plugins() {
    local line plugin
    mkdir -p "$work/plugins"
    while read -r -a line; do
        [ ${#line[@]} -gt 0 ] || continue
        plugin=${line[0]}
        (cd "$work/plugins" && compile -shared -fPIC -o "$plugin.so" "$here/library/${line[1]}" "${line[@]:2}") || return
    done < <(said "$1" plugin)
    needed+=(-DPLUGINS="\"$work/plugins\"" -ldl)
}

# build NAME: the program, what it needs, and NAME.start, which is started as a process of a job.
build() {
    local name=$1 program=$work/$1 library other options needed=()
    library=$(said "$name" library)
    other=$(said "$name" "other program")
    if [ -n "$library" ]; then
        compile -shared -fPIC -o "$work/lib/lib${library%.c}.so" "$here/library/$library" || return
        needed=("-l${library%.c}")
    fi
    needed+=(-ldvm -lpthread -lm -ldl)
    read -r -a options <<<"$(said "$name" "compiled with")"
    needed+=("${options[@]}")
    build_plugins "$name" || return
    compile -rdynamic -o "$program" "$here/$name.c" -L"$work/lib" "${needed[@]}" || return
    if [ -z "$other" ]; then
        ln -s "$program" "$program.start"
        return
    fi
    read -r -a options <<<"$other"
    compile "${options[@]}" -rdynamic -o "$program.other" "$here/$name.c" -L"$work/lib" "${needed[@]}" || return
    # shellcheck disable=SC2016
    printf '#!/bin/sh\n[ "${DVM_PROCESS:-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 0 ] && exec %s "$@"\nexec %s "$@"\n' "'$program'" "'$program.other'" >"$program.start"
    chmod +x "$program.start"
}

# run NAME PROCESSES ARGUMENT...
run() {
    local name=$1 number=$2 status expected options environment
    shift 2
    count=$((count + 1))
    read -r -a options <<<"$(said "$name" options)"
    read -r -a environment <<<"$(said "$name" environment)"
    expected=$(said "$name" status)
    [ "$number" -gt 1 ] || expected=0
    # The second limit is for a dvmrun that hangs.
    env "${environment[@]}" timeout -s KILL $((seconds + 20)) "$dvmrun" -n "$number" --timeout "$seconds" "${options[@]}" "$work/$name.start" "$@" \
        </dev/null >"$work/output" 2>"$work/errors"
    status=$?
    cat "$work/output" "$work/errors" >"$work/log"
    if [ $status -ne "${expected:-0}" ]; then
        failed "$name $* as $number processes: exit status $status"
    elif [ "$(tail -n 1 "$work/output")" != "$name: ok" ]; then
        failed "$name $* as $number processes: the last line is not '$name: ok'"
    fi
}

# run_by MPI RINGS NAME PROCESSES ARGUMENT...
run_by() {
    local mpi=$1 rings=$2 name=$3 number=$4 environment
    shift 4
    count=$((count + 1))
    read -r -a environment <<<"$(said "$name" environment)"
    if ! env "${environment[@]}" DVM_RINGS="$rings" timeout -k 10 "$seconds" "$root/tools/mpis.sh" run "$mpi" "$number" -- "$work/$name.start" "$@" \
        </dev/null >"$work/log" 2>&1; then
        failed "$name $* with $mpi, $number processes, DVM_RINGS=$rings"
    elif ! grep -qx "$name: ok" "$work/log"; then
        failed "$name $* with $mpi, $number processes, DVM_RINGS=$rings: it does not say '$name: ok'"
    fi
}

# under_mpis NAME PROCESSES ARGUMENT...
under_mpis() {
    local mpi rings
    for mpi in $mpis; do
        for rings in ${DVM_TEST_RINGS:-1 0}; do run_by "$mpi" "$rings" "$@"; done
    done
}

mpis=
if [ -n "${DVM_TEST_MPIS:-}" ]; then
    there=$("$root/tools/mpis.sh" list all 2>"$work/missing")
    for mpi in $DVM_TEST_MPIS; do
        if grep -qx "$mpi" <<<"$there"; then mpis+=" $mpi"; else grep "left out: $mpi " "$work/missing"; fi
    done
fi
first=${DVM_TEST_FIRST:-$(date +%s)}
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for source in "$here"/*.c; do names+=("$(basename "$source" .c)"); done
fi
for name in "${names[@]}"; do
    if ! build "$name" >"$work/log" 2>&1; then
        count=$((count + 1))
        failed "$name: does not build"
        continue
    fi
    mapfile -t lines < <(said "$name" arguments)
    for kind in $(said "$name" kills); do
        for ((seed = first; seed < first + ${DVM_TEST_KILLS:-0}; seed++)); do lines+=("$kind $seed $((40000 << seed % 4))"); done
    done
    [ ${#lines[@]} -gt 0 ] || lines=("")
    if [ -n "${DVM_TEST_MPIS:-}" ] && [ -n "$(said "$name" options)$(said "$name" "only by dvmrun")" ]; then
        echo "left out: $name (it needs dvmrun)"
        continue
    fi
    for number in $processes $(said "$name" "also as"); do
        for line in "${lines[@]}"; do
            read -r -a arguments <<<"$line"
            if [ -n "${DVM_TEST_MPIS:-}" ]; then
                under_mpis "$name" "$number" "${arguments[@]}"
            else
                run "$name" "$number" "${arguments[@]}"
            fi
        done
    done
done

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ] && { [ $count -gt 0 ] || [ -n "${DVM_TEST_MPIS:-}" ]; }
