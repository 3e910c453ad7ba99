#!/usr/bin/env bash
# Builds libdvm's plugin once for each MPI whose compiler is there, into target/release, beside libdvm.so.
#
#   tools/plugins.sh              fails when there is no MPI, or a plugin cannot be built
#   tools/plugins.sh --optional   says so, and goes on
#
# Each MPI has a target directory of its own: cargo does not notice that another compiler gives other headers.
# MPICC names one more compiler; its MPI's family is found out.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
optional=${1:-}

say() { printf 'plugins: %s\n' "$*" >&2; }

# The family of the MPI of compiler $1, by the headers: the plugin's name.
family() {
  local macros
  macros=$(printf '#include <mpi.h>\n' | "$1" -E -dM -x c - 2>/dev/null) || return 1
  case $macros in
    *"define OMPI_MAJOR_VERSION "*) echo openmpi ;;
    *"define MPICH_VERSION "* | *"define I_MPI_VERSION "*) echo mpich ;;
    # Last: those above may have it besides.
    *"define MPI_ABI_VERSION "*) echo abi ;;
    *) return 1 ;;
  esac
}

declare -A built=()
failed=0
for compiler in ${MPICC:-} mpicc.openmpi mpicc.mpich mpicc_abi mpicc; do
  path=$(command -v "$compiler") || continue
  if ! name=$(family "$path"); then
    say "$path belongs to an MPI that libdvm does not know"
    continue
  fi
  [ -n "${built[$name]:-}" ] && continue
  built[$name]=$path
  if MPICC=$path ${CARGO:-cargo} build --release --locked --manifest-path plugin/Cargo.toml --target-dir "$target/plugins/$name"; then
    mkdir -p "$target/release"
    # In one step: a program may have loaded the old one.
    cp "$target/plugins/$name/release/libdvm_mpi.so" "$target/release/.libdvm_mpi_$name.so"
    mv "$target/release/.libdvm_mpi_$name.so" "$target/release/libdvm_mpi_$name.so"
    say "$target/release/libdvm_mpi_$name.so by $path"
  else
    say "the plugin for $path cannot be built"
    failed=1
  fi
done
if [ ${#built[@]} -eq 0 ]; then
  say "there is no MPI (no mpicc): libdvm works in one process, and under dvmrun"
  [ "$optional" = --optional ] || exit 1
fi
[ "$optional" = --optional ] || exit "$failed"
