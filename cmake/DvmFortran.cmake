# Compiles the Fortran module: the target dvm::fortran for this build tree, and where its products are installed.
# A .mod file can be read by the compiler that wrote it only, so its directory is named after the compiler; the source
# is installed too, and dvmConfig.cmake compiles it for any other compiler.

string(REGEX MATCH "^[0-9]+" _major "${CMAKE_Fortran_COMPILER_VERSION}")
set(DVM_FORTRAN_COMPILER ${CMAKE_Fortran_COMPILER_ID}-${_major})
set(DVM_MODULE_DIR ${CMAKE_INSTALL_LIBDIR}/dvm/fortran/${DVM_FORTRAN_COMPILER})

add_library(dvm_fortran STATIC include/dvm.f90)
set_target_properties(dvm_fortran PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fortran)
target_include_directories(dvm_fortran INTERFACE ${CMAKE_CURRENT_BINARY_DIR}/fortran)
target_link_libraries(dvm_fortran PUBLIC dvm::dvm)
add_library(dvm::fortran ALIAS dvm_fortran)
