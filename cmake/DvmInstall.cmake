# What goes where under the prefix. Every path in the installed files is relative: the tree may be moved.

include(CMakePackageConfigHelpers)

# `cmake --install` on a tree that was only configured builds it first.
install(CODE "
  if(NOT EXISTS \"${DVM_LIBRARY_FILE}\")
    execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" COMMAND_ERROR_IS_FATAL ANY)
  endif()")

install(PROGRAMS ${DVM_LIBRARY_FILE} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${DVM_SONAME} ${CMAKE_CURRENT_BINARY_DIR}/libdvm.so
        DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/dvm.h include/dvm.hpp include/dvm_dma.h include/dvm_mpi.h include/dvm.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

foreach(program IN LISTS DVM_PROGRAM_NAMES)
  install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/bin/${program} DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endforeach()
set(_bin ${CMAKE_INSTALL_BINDIR})
if(NOT IS_ABSOLUTE ${_bin})
  set(_bin "\${CMAKE_INSTALL_PREFIX}/${_bin}")
endif()
install(CODE "
  if(EXISTS \"\$ENV{DESTDIR}${_bin}/dvm-codegen\")
    foreach(_name ${DVM_LINK_NAMES})
      message(STATUS \"Installing: \$ENV{DESTDIR}${_bin}/\${_name}\")
      file(CREATE_LINK \"\$ENV{DESTDIR}${_bin}/dvm-codegen\" \"\$ENV{DESTDIR}${_bin}/\${_name}\" COPY_ON_ERROR)
      list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"${_bin}/\${_name}\")
    endforeach()
  endif()")

# What an archive of libdvm needs of the system.
set(DVM_STATIC_NEEDS "-lhwloc -lpthread -ldl -lm")
# The archive, by `make install-static`: 12 MB, for programs that are to run without libdvm.so.
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/libdvm.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Static EXCLUDE_FROM_ALL)

# What gdb reads beside the library, by the name that the library carries: `make install-debug`.
install(FILES ${DVM_LIBRARY_FILE}.debug DESTINATION ${CMAKE_INSTALL_LIBDIR}/.debug COMPONENT Debug EXCLUDE_FROM_ALL OPTIONAL)

# The plugins for MPI that tools/plugins.sh has built, beside the library: component MPI.
install(CODE "
  file(GLOB _plugins \"${DVM_TARGET_DIR}/release/libdvm_mpi_*.so\")
  if(_plugins)
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\" TYPE PROGRAM FILES \${_plugins})
  endif()" COMPONENT MPI)

install(FILES LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md SECURITY.md CITATION.cff
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
# In the folders that the pages' links name; docs/SUMMARY.md lists them.
install(FILES bench/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
install(FILES packaging/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/packaging)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.json")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "*.sh" EXCLUDE)
# `make docs` has made them, where mdbook and doxygen are there.
install(DIRECTORY ${DVM_TARGET_DIR}/book/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL)
install(DIRECTORY ${DVM_TARGET_DIR}/reference/html/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/reference OPTIONAL)
install(FILES info/dvm-info.1 dvmrun/dvmrun.1 codegen/dvm-codegen.1 codegen/dvmcc.1 codegen/dvmfc.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY bindings/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 FILES_MATCHING PATTERN "*.3")
install(FILES bindings/man/dvm.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
# What shells complete, from the folders in which they look for it.
foreach(_folder info dvmrun codegen)
  install(DIRECTORY ${_folder}/completions/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(DIRECTORY ${_folder}/completions/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(DIRECTORY ${_folder}/completions/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endforeach()
install(FILES tools/gdb/dvm.py DESTINATION ${CMAKE_INSTALL_DATADIR}/dvm)

# From the directory of the .pc files back to the prefix; an absolute library directory cannot be moved.
set(DVM_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(DVM_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(DVM_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
else()
  file(RELATIVE_PATH _back /prefix/${DVM_PC_DIR} /prefix)
  set(DVM_PC_PREFIX "\${pcfiledir}/${_back}")
  set(DVM_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
configure_file(cmake/dvm.pc.in dvm.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dvm.pc DESTINATION ${DVM_PC_DIR})
configure_file(cmake/dvm-static.pc.in dvm-static.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dvm-static.pc DESTINATION ${DVM_PC_DIR} COMPONENT Static EXCLUDE_FROM_ALL)

if(TARGET dvm_fortran)
  install(TARGETS dvm_fortran ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fortran/dvm.mod DESTINATION ${DVM_MODULE_DIR})
  configure_file(cmake/dvm-fortran.pc.in dvm-fortran.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dvm-fortran.pc DESTINATION ${DVM_PC_DIR})
endif()

set(DVM_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/dvm)
set(_paths CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
if(TARGET dvm_fortran)
  list(APPEND _paths DVM_MODULE_DIR)
endif()
configure_package_config_file(cmake/dvmConfig.cmake.in install/dvmConfig.cmake
  INSTALL_DESTINATION ${DVM_CONFIG_DIR} PATH_VARS ${_paths} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may break what was there.
write_basic_package_version_file(dvmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/install/dvmConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/dvmConfigVersion.cmake
        DESTINATION ${DVM_CONFIG_DIR})

# The same for this build tree, without an install: -Ddvm_DIR=BUILD, or PKG_CONFIG_PATH=BUILD.
function(dvm_uninstalled)
  set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_CURRENT_SOURCE_DIR}/include)
  set(CMAKE_INSTALL_LIBDIR ${CMAKE_CURRENT_BINARY_DIR})
  set(DVM_MODULE_DIR ${CMAKE_CURRENT_BINARY_DIR}/fortran)
  configure_package_config_file(cmake/dvmConfig.cmake.in dvmConfig.cmake
    INSTALL_DESTINATION ${CMAKE_CURRENT_BINARY_DIR} PATH_VARS ${_paths} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  configure_file(cmake/dvm-uninstalled.pc.in dvm-uninstalled.pc @ONLY)
  if(TARGET dvm_fortran)
    configure_file(cmake/dvm-fortran-uninstalled.pc.in dvm-fortran-uninstalled.pc @ONLY)
  endif()
endfunction()
dvm_uninstalled()
