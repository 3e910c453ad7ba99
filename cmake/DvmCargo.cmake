# Runs cargo and gives its product the names that the dynamic linker wants. Defines the target dvm::dvm for this build
# tree, DVM_LIBRARY_FILE, DVM_SONAME, DVM_PROGRAM_NAMES and DVM_LINK_NAMES.

option(DVM_BUILT "install what cargo has built before, without cargo" OFF)
if(NOT DVM_BUILT)
  find_program(CARGO cargo HINTS "$ENV{HOME}/.cargo/bin" REQUIRED)
endif()

if(NOT DVM_TARGET_DIR)
  set(DVM_TARGET_DIR ${CMAKE_CURRENT_SOURCE_DIR}/target)
endif()

# The SONAME carries the major version; build.rs writes the same name into the library.
set(DVM_SONAME libdvm.so.${PROJECT_VERSION_MAJOR})
set(DVM_LIBRARY_NAME libdvm.so.${PROJECT_VERSION})
set(DVM_LIBRARY_FILE ${CMAKE_CURRENT_BINARY_DIR}/${DVM_LIBRARY_NAME})

set(DVM_PROGRAM_NAMES dvm-codegen dvm-info dvmrun)
# Further names of dvm-codegen, as hard links: the program looks what it is called.
set(DVM_LINK_NAMES dvmcc dvmfc)

# Debug information is five times as large as all the rest: it lies in files of its own (component Debug).
set(_split ON)
if(DVM_SANITIZER OR NOT CMAKE_OBJCOPY)
  set(_split OFF)
endif()
option(DVM_SPLIT_DEBUG "put debug information into files of its own" ${_split})

set(_arguments build --release --locked --lib)
set(_environment --unset=MAKEFLAGS)
set(_product ${DVM_TARGET_DIR}/release)
if(DVM_SANITIZER)
  # The sanitizers are unstable options of rustc; their run-times ship with the stable toolchain.
  set(_flags "-Zsanitizer=${DVM_SANITIZER} -Cunsafe-allow-abi-mismatch=sanitizer")
  list(APPEND _environment RUSTC_BOOTSTRAP=1 "RUSTFLAGS=${_flags}")
  execute_process(COMMAND rustc --print host-tuple OUTPUT_VARIABLE _host OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND _arguments --target ${_host})
  set(_product ${DVM_TARGET_DIR}/${_host}/release)
endif()
if((DVM_PROGRAMS OR DVM_TESTS) AND NOT DVM_SANITIZER)
  # The whole workspace, as `make all` does: a choice of packages would be compiled anew, with features of its own.
  list(APPEND _arguments --workspace --bins)
elseif(DVM_SANITIZER)
  # With testkit the shared dependencies have the features that they have in tests/sanitize.sh, which then finds libdvm built.
  list(APPEND _arguments --package dvm --package testkit)
else()
  list(APPEND _arguments --package dvm --package dvm-info --package dvmrun --bins)
endif()

set(_build COMMAND ${CMAKE_COMMAND} -E env ${_environment} ${CARGO} ${_arguments} --target-dir ${DVM_TARGET_DIR})
if(DVM_BUILT)
  set(_build)
endif()
add_custom_target(dvm_cargo ALL
  ${_build}
  COMMAND ${CMAKE_COMMAND} -DFROM=${_product} -DINTO=${CMAKE_CURRENT_BINARY_DIR} -DLIBRARY=${DVM_LIBRARY_NAME}
          -DSONAME=${DVM_SONAME} "-DPROGRAMS=${DVM_PROGRAM_NAMES}" "-DLINKS=${DVM_LINK_NAMES}"
          "-DOBJCOPY=$<$<BOOL:${DVM_SPLIT_DEBUG}>:${CMAKE_OBJCOPY}>" -P ${CMAKE_CURRENT_LIST_DIR}/collect.cmake
  BYPRODUCTS ${DVM_LIBRARY_FILE}
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  COMMENT "cargo build"
  USES_TERMINAL VERBATIM)

option(DVM_MPI "build a plugin for each MPI that is there" ON)
if(DVM_MPI AND NOT DVM_SANITIZER AND NOT DVM_BUILT)
  add_custom_target(dvm_plugins ALL
    COMMAND ${CMAKE_COMMAND} -E env --unset=MAKEFLAGS CARGO=${CARGO} CARGO_TARGET_DIR=${DVM_TARGET_DIR}
            ${CMAKE_CURRENT_SOURCE_DIR}/tools/plugins.sh --optional
    COMMENT "plugins for MPI"
    USES_TERMINAL VERBATIM)
  add_dependencies(dvm_plugins dvm_cargo)
endif()

add_library(dvm::dvm SHARED IMPORTED GLOBAL)
set_target_properties(dvm::dvm PROPERTIES
  IMPORTED_LOCATION ${DVM_LIBRARY_FILE}
  IMPORTED_SONAME ${DVM_SONAME}
  INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR}/include)
add_dependencies(dvm::dvm dvm_cargo)
