# Instruments the test programs for DVM_SANITIZER. Library and programs use rustc's run-time: two run-times
# in one process would not see each other's memory. The programs have the same instrumentation, so
# that the sanitizer also sees how tasks access their data.

execute_process(COMMAND rustc --print sysroot OUTPUT_VARIABLE _sysroot OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND rustc --print host-tuple OUTPUT_VARIABLE _host OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
set(_short_address asan)
set(_short_thread tsan)
set(_runtime ${_sysroot}/lib/rustlib/${_host}/lib/librustc-stable_rt.${_short_${DVM_SANITIZER}}.a)
if(NOT EXISTS ${_runtime})
  message(FATAL_ERROR "this rustc has no run-time for -Zsanitizer=${DVM_SANITIZER}: ${_runtime} does not exist")
endif()

target_compile_options(dvm_test_options INTERFACE -fsanitize=${DVM_SANITIZER} -O1 -fno-omit-frame-pointer)
target_link_options(dvm_test_options INTERFACE
  -Wl,--whole-archive ${_runtime} -Wl,--no-whole-archive -Wl,--export-dynamic)
target_link_libraries(dvm_test_options INTERFACE pthread dl m rt resolv stdc++)
