#!/usr/bin/env bash
# Makes Debian packages of what cargo built (target/release), in target/deb, and tests them in a scratch root.
#
#   packaging/deb.sh build   libdvm0, libdvm-dev and dvm-tools, by dpkg-buildpackage
#   packaging/deb.sh test    build, then: lintian where it is there; C by pkg-config and by CMake, Fortran by pkg-config, dvmcc,
#                            dvm-info and dvmrun out of the unpacked packages. Ends with `N passed, M failed`.
set -uo pipefail
export LC_ALL=C
unset LD_LIBRARY_PATH DESTDIR CPATH C_INCLUDE_PATH LIBRARY_PATH PKG_CONFIG_PATH CFLAGS CPPFLAGS LDFLAGS "${!DVM_@}"

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
into=$target/deb
mode=${1:-build}
case $mode in build | test) ;; *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac

for program in dpkg-buildpackage dh; do
    command -v $program >/dev/null && continue
    echo "left out: there is no $program (apt-get install dpkg-dev debhelper)"
    [ "$mode" = test ] && exit 0
    exit 1
done
[ -x "$target/release/dvmcc" ] || { echo "there is nothing built in $target/release: make all" >&2; exit 1; }

version=$(sed -n 's/^version = "\([0-9.]*\)"$/\1/p' "$root/Cargo.toml" | head -1)
tree=$into/libdvm-$version
rm -rf "$into" && mkdir -p "$tree" || exit 1
(cd "$root" && tar -c --exclude ./target --exclude ./.git --exclude ./plugin/target .) | tar -x -C "$tree" || exit 1
cp -r "$root/packaging/debian" "$tree/debian"
# The tests need no packages of debug information, which take a minute to compress.
[ "$mode" = test ] && export DEB_BUILD_OPTIONS="noautodbgsym nocheck"
(cd "$tree" && DVM_TARGET_DIR=$target dpkg-buildpackage -us -uc -b) >"$into/build.log" 2>&1 || {
    tail -30 "$into/build.log"
    echo "dpkg-buildpackage failed; $into/build.log has all of its output"
    [ "$mode" = test ] && echo "0 passed, 1 failed"
    exit 1
}
rm -rf "$tree"
[ "$mode" = build ] && { ls -l "$into"/*.deb; exit 0; }

count=0 failures=0
step() {
    local what=$1
    shift
    count=$((count + 1))
    "$@" >"$into/step.log" 2>&1 && return 0
    failures=$((failures + 1))
    printf 'FAILED %s\n    %s\n' "$what" "$*"
    tail -25 "$into/step.log" | sed 's/^/    | /'
    return 1
}

scratch=$into/root
mkdir "$scratch"
for package in libdvm0 libdvm-dev dvm-tools; do
    file=$(echo "$into/${package}_${version}"_*.deb)
    step "there is $package of version $version" test -s "$file" && step "$package unpacks" dpkg-deb -x "$file" "$scratch"
    [ ! -e "$file" ] || step "$package has documentation" test -s "$scratch/usr/share/doc/$package/copyright"
done
fields() { dpkg-deb -f "$into/$1_${version}"_*.deb Depends; }
step "the library needs hwloc" grep -q libhwloc < <(fields libdvm0)
step "the library needs no MPI" test -z "$(fields libdvm0 | grep -oi mpi)"
step "the tools need isl, clang and the library" test "$(fields dvm-tools | grep -oE 'libisl|clang|libdvm-dev' | sort -u | wc -l)" -eq 3
# HTML is there only where `make docs` has made it.
step "all is at most 20 MB" \
    test "$(du -sk --exclude="$scratch/usr/share/doc/libdvm-dev/html" --exclude="$scratch/usr/share/doc/libdvm-dev/reference" "$scratch" | cut -f 1)" -le 20480
if command -v lintian >/dev/null; then
    # The address of the maintainer is one of nobody; the module's format has no standard place.
    step "lintian finds no error" "$root/packaging/lintian.sh" "$into"/*.changes
else
    echo "left out: there is no lintian"
fi

usr=$scratch/usr
lib=$(echo "$usr"/lib/*/libdvm.so) && lib=${lib%/libdvm.so}
consumer=$root/c-tests/consumers/c
cd "$into" || exit 1
flags=$(PKG_CONFIG_LIBDIR=$lib/pkgconfig pkg-config --cflags --libs dvm)
# shellcheck disable=SC2086
step "C by pkg-config: build" cc "$consumer/main.c" $flags -o by_pkg_config &&
    step "C by pkg-config: run" env LD_LIBRARY_PATH="$lib" timeout 60 ./by_pkg_config
step "C by CMake: configure" cmake -S "$consumer" -B by_cmake -Ddvm_DIR="$lib/cmake/dvm" &&
    step "C by CMake: build" cmake --build by_cmake && step "C by CMake: run" timeout 60 by_cmake/consumer
# The module's folder is named after the compiler that wrote it, which the test's may not be.
if command -v gfortran >/dev/null && [ -e "$lib/pkgconfig/dvm-fortran.pc" ]; then
    flags=$(PKG_CONFIG_LIBDIR=$lib/pkgconfig pkg-config --cflags --libs dvm-fortran)
    # shellcheck disable=SC2086
    step "Fortran by pkg-config: build" gfortran "$root/c-tests/consumers/fortran/main.f90" $flags -o by_fortran &&
        step "Fortran by pkg-config: run" env LD_LIBRARY_PATH="$lib" timeout 60 ./by_fortran
else
    echo "left out: Fortran by pkg-config (there is no gfortran, or no module was built)"
fi
step "dvmcc: build" "$usr/bin/dvmcc" -O2 "$root/examples/11_heat.c" -o heat --dvm-strict && step "dvmcc: run" cmp "$root/examples/11_heat.expected" <(timeout 60 ./heat)
step "dvmcc and dvmfc are dvm-codegen" test "$(stat -c %i "$usr"/bin/{dvmcc,dvmfc,dvm-codegen} | uniq | wc -l)" = 1
step "dvm-info runs" "$usr/bin/dvm-info"
step "dvmrun runs" timeout 60 "$usr/bin/dvmrun" -n 2 "$usr/bin/dvm-info" --options
step "bash has completions" test -s "$usr/share/bash-completion/completions/dvmcc"
step "zsh has completions where Debian looks" test -s "$usr/share/zsh/vendor-completions/_dvmcc"
step "there is the book" test -s "$usr/share/doc/libdvm-dev/docs/book/by-hand.md"
step "there are examples" test -s "$usr/share/doc/libdvm-dev/examples/01_hello.c"
step "there are man pages of programs" test -s "$usr/share/man/man1/dvmcc.1.gz"
step "there are man pages of functions" test -s "$usr/share/man/man3/dvm_sched_near.3.gz"
step "libdvm-dev has them" test -n "$(dpkg-deb -c "$into/libdvm-dev_${version}"_*.deb | grep ' ./usr/share/man/man3/dvm_init.3.gz$')"

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ]
