#!/usr/bin/env bash
# Makes the Debian packages in a clean Debian 12 without a network, and uses them in a fresh one.
#
#   packaging/chroot.sh [FOLDER]   works in FOLDER (target/chroot), and first removes what an earlier run left there
#
# In FOLDER/build, which has the build dependencies alone, dpkg-buildpackage makes the packages, with crates of `cargo vendor`
# and this machine's toolchain. FOLDER/use has the packages with what they depend on: programs in C and Fortran are built and
# run there, by dvmcc, CMake and pkg-config. The packages remain in FOLDER/packages.
# Needs root, debootstrap, unshare (util-linux), cargo, crates.io, a mirror of Debian (DVM_MIRROR; default: debootstrap's),
# 6 GB of disk, and builds all. Prints a line per step, and ends with `N passed, M failed`.
set -uo pipefail
export LC_ALL=C
unset CARGO_TARGET_DIR RUSTFLAGS

script=$(readlink -f -- "${BASH_SOURCE[0]}")
root=$(cd -- "$(dirname -- "$script")/.." && pwd)
case ${1:-} in -*) sed -n '2,11s/^# \{0,1\}//p' "$script"; exit 2 ;; esac
work=$(realpath -m -- "${1:-$root/target/chroot}")

# missing: prints what this machine lacks, a line each.
missing() {
    local program
    [ "$(id -u)" = 0 ] || echo "root (sudo env PATH=\"\$PATH\" packaging/chroot.sh)"
    for program in debootstrap unshare chroot cargo rustc tar; do
        command -v $program >/dev/null || echo "$program"
    done
}
lacks=$(missing)
[ -z "$lacks" ] || { printf 'packaging/chroot.sh needs:\n%s\n' "$lacks" >&2; exit 1; }

# Nothing is removed from a folder that this script has not made.
if [ -n "$(ls -A "$work" 2>/dev/null)" ] && [ ! -e "$work/.of-chroot.sh" ]; then
    echo "packaging/chroot.sh: $work exists and is not empty, and this script has not made it" >&2
    exit 1
fi

# Mounts and processes live in namespaces of their own: they end with this script, however it ends.
if [ -z "${DVM_CHROOT_INSIDE:-}" ]; then
    exec env DVM_CHROOT_INSIDE=1 unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$script" "$work"
fi
# The first process of a namespace ignores the signals that it does not handle.
trap 'exit 130' INT TERM HUP

version=$(sed -n 's/^version = "\([0-9.]*\)"$/\1/p' "$root/Cargo.toml" | head -1)
toolchain=$(rustc --print sysroot)
count=0 failures=0

# step WHAT COMMAND...: a line, with the seconds that it took; the end of its output where it fails. All of it is in FOLDER/log.
step() {
    local what=$1 began=$SECONDS
    shift
    count=$((count + 1))
    if "$@" >"$work/log/$count" 2>&1; then
        printf 'ok      %s (%d s)\n' "$what" $((SECONDS - began))
        return 0
    fi
    failures=$((failures + 1))
    printf 'FAILED  %s\n    %s\n' "$what" "$*"
    tail -25 "$work/log/$count" | sed 's/^/    | /'
    return 1
}

finish() {
    echo "$((count - failures)) passed, $failures failed"
    [ $failures -eq 0 ]
    exit
}

# must WHAT COMMAND...: a step without which the others make no sense.
must() { step "$@" || finish; }

# inside ROOT USER COMMAND...: runs a command in a chroot, in USER's home, with nothing of this machine's environment.
inside() {
    local where=$1 user=$2 home=/home/builder groups=builder
    shift 2
    [ "$user" = root ] && home=/root groups=root
    chroot --userspec="$user:$groups" "$work/$where" env -i HOME=$home USER="$user" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c 'cd && exec "$@"' sh "$@"
}

# fresh NAME: a root of its own, with its user, and what programs expect to be mounted.
fresh() {
    cp -a "$work/base" "$work/$1" &&
        mount -t proc proc "$work/$1/proc" && mount -t tmpfs -o mode=1777 tmpfs "$work/$1/dev/shm" &&
        mount -t devpts devpts "$work/$1/dev/pts" &&
        mount --bind "$work/archives" "$work/$1/var/cache/apt/archives" &&
        inside "$1" root useradd --create-home builder && inside "$1" root apt-get update
}

install_in() {
    local where=$1
    shift
    inside "$where" root apt-get install -y --no-install-recommends "$@"
}

# The sources as dpkg-buildpackage wants them: with debian/, and with every crate in vendor/.
sources() {
    local tree=$work/build/home/builder/libdvm-$version
    mkdir -p "$tree/.cargo" &&
        tar -C "$root" -c --exclude './target*' --exclude ./.git --exclude ./build --exclude ./plugin/target \
            --exclude "./${work#"$root"/}" . | tar -x -C "$tree" &&
        cp -r "$root/packaging/debian" "$tree/debian" &&
        (cd "$tree" && cargo vendor --locked --sync plugin/Cargo.toml vendor >.cargo/config.toml) &&
        chown -R --reference="$work/build/home/builder" "$tree"
}

bind_toolchain() {
    mkdir -p "$work/build/opt/rust" && mount --bind -o ro "$toolchain" "$work/build/opt/rust" && inside build builder cargo --version
}

# build: where there is no network but a loopback that is down.
build() {
    export -f inside
    export work version
    unshare --net bash -c '
        ! tail -n +3 /proc/net/dev | grep -v "^ *lo:" || exit 1
        inside build builder sh -c "cd libdvm-$version && dpkg-buildpackage -us -uc -b"'
}

# give: the packages for root, and what a user compiles for the user.
give() {
    local home=$work/use/home/builder
    cp "$work"/packages/*.deb "$work/use/root/" && cp -r "$root/c-tests/consumers" "$root/examples" "$home/" &&
        chown -R --reference="$home" "$home"
}

# none_of_build: in `use` no package is installed that only the build needs.
none_of_build() {
    local package found=0
    for package in $(sed -n 's/^Build-Depends: //p' "$root/packaging/debian/control" | sed 's/([^)]*)//g; s/,/ /g'); do
        case $package in clang) continue ;; esac
        inside use root dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || continue
        echo "$package is installed"
        found=1
    done
    [ ! -e "$work/use/opt/rust" ] && [ $found -eq 0 ]
}

# in_home COMMAND: a shell command in `use`, as a user.
in_home() { inside use builder timeout 300 bash -ec "$1"; }

# expect FILE COMMAND: the command prints what FILE has.
expect() {
    in_home "$2" >"$work/printed" && cmp "$1" "$work/printed"
}

# After a purge nothing is left but what dpkg and apt write down.
nothing_left() {
    local left
    inside use root apt-get purge -y libdvm0 libdvm-dev dvm-tools || return
    left=$(cd "$work/use" && find etc usr var opt -xdev -name '*dvm*' -not -path 'var/cache/apt/*')
    [ -z "$left" ] || { echo "$left"; return 1; }
}

umount_all() {
    local where
    for where in build use; do
        umount -R "$work/$where"/{proc,dev/shm,dev/pts,var/cache/apt/archives} "$work/$where/opt/rust" 2>/dev/null
    done
    return 0
}

mkdir -p "$work" && rm -rf --one-file-system "${work:?}"/* && touch "$work/.of-chroot.sh" || exit 1
mkdir -p "$work"/{log,archives/partial,debs,packages} || exit 1
must "a base of Debian 12" debootstrap --variant=minbase --cache-dir="$work/debs" bookworm "$work/base" ${DVM_MIRROR:+"$DVM_MIRROR"}

must "a chroot to build in" fresh build
must "the toolchain, read-only" bind_toolchain
must "the sources, with vendored crates" sources
must "the build dependencies, and nothing else" \
    inside build root apt-get build-dep -y --no-install-recommends "/home/builder/libdvm-$version"
must "dpkg-buildpackage without a network" build
for package in libdvm0 libdvm-dev dvm-tools; do
    must "there is $package" cp "$work/build/home/builder/${package}_${version}"_*.deb "$work/packages/"
done
must "lintian is installed" install_in build lintian
step "lintian finds no error" inside build builder bash -c "libdvm-$version/packaging/lintian.sh *.changes"

must "a chroot to use them in" fresh use
must "the packages and the consumers' sources are there" give
must "apt-get installs the packages" inside use root sh -c 'apt-get install -y --no-install-recommends ./*.deb'
step "no package is there that only the build needs" none_of_build
step "dvm-info runs" in_home dvm-info
step "dvmcc compiles C" in_home "dvmcc -O2 examples/11_heat.c -o heat --dvm-strict"
step "what it made computes what the loops compute" expect "$root/examples/11_heat.expected" ./heat
step "dvmrun starts processes" in_home "dvmrun -n 2 dvm-info --options"
must "what the consumers need: CMake, pkg-config, gfortran" install_in use cmake make pkg-config gfortran
step "C by CMake: build" in_home "cmake -S consumers/c -B by_cmake && cmake --build by_cmake"
step "C by CMake: run" in_home by_cmake/consumer
step "C by pkg-config: build" in_home 'cc consumers/c/main.c $(pkg-config --cflags --libs dvm) -o by_pkg_config'
step "C by pkg-config: run" in_home ./by_pkg_config
step "Fortran by pkg-config: build" \
    in_home 'gfortran consumers/fortran/main.f90 $(pkg-config --cflags --libs dvm-fortran) -o by_fortran'
step "Fortran by pkg-config: run" in_home ./by_fortran
step "Fortran by CMake: build" in_home "cmake -S consumers/fortran -B fortran_by_cmake && cmake --build fortran_by_cmake"
step "Fortran by CMake: run" in_home fortran_by_cmake/consumer
step "an example of Fortran: build" in_home 'gfortran examples/05_axpy.f90 $(pkg-config --cflags --libs dvm-fortran) -o axpy'
step "an example of Fortran: run" expect "$root/examples/05_axpy.expected" ./axpy
step "a purge leaves nothing" nothing_left

umount_all
[ $failures -eq 0 ] && rm -rf --one-file-system "$work"/{base,build,use,debs,archives}
finish
