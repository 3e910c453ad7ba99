# Makes INTO/libdvm.a of what cargo made: one object that defines the functions that SHARED, the shared library, gives, and
# hides all else, so that it meets no other library written in Rust. hwloc stays dynamic.
#
#   cmake -DFROM=libdvm_static.a -DSHARED=libdvm.so -DINTO=FOLDER -P cmake/static.cmake

foreach(tool IN ITEMS ld nm objcopy ar)
  find_program(tool_${tool} ${tool} REQUIRED)
endforeach()

execute_process(COMMAND ${tool_nm} -D --defined-only --format=posix ${SHARED} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+ T [^\n]*" lines "${symbols}")
set(functions)
set(roots)
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" name "${line}")
  string(APPEND functions "${name}\n")
  list(APPEND roots -u ${name})
endforeach()
if(NOT functions)
  message(FATAL_ERROR "${SHARED} gives no functions")
endif()

set(scratch ${INTO}/static)
file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch})
file(WRITE ${scratch}/functions "${functions}")
# What none of them reaches goes; the rest has the names of its functions for perf, and no debug information.
execute_process(COMMAND ${tool_ld} -r --gc-sections ${roots} ${FROM} -o ${scratch}/all.o COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${tool_objcopy} --strip-unneeded --remove-section .llvmbc --remove-section .llvmcmd
                        --keep-global-symbols ${scratch}/functions ${scratch}/all.o ${scratch}/dvm.o COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${INTO}/libdvm.a)
execute_process(COMMAND ${tool_ar} crs ${INTO}/libdvm.a ${scratch}/dvm.o COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${scratch})
