# Copies what cargo made in FROM into the build tree INTO: the library LIBRARY with its symbolic links, and those of
# PROGRAMS that exist; LINKS are further names of dvm-codegen. With OBJCOPY, programs lose their debug information, and that of
# the library goes into a file beside it, which debuggers find by the name that the library carries.

# place NAME INTO HOW...: copies a product; HOW are objcopy's options.
function(place name into)
  get_filename_component(to ${into} NAME)
  # Its content decides whether it is new, not its time: cargo gives older files back.
  file(SHA256 ${FROM}/${name} hash)
  set(is "${hash} ${OBJCOPY} ${ARGN}")
  set(was)
  if(EXISTS ${into} AND EXISTS ${INTO}/placed/${to})
    file(READ ${INTO}/placed/${to} was)
  endif()
  if(was STREQUAL is)
    return()
  endif()
  # A new file, not a new content: the old one may have further names, or run.
  file(REMOVE ${into})
  if(OBJCOPY)
    execute_process(COMMAND ${OBJCOPY} ${ARGN} ${FROM}/${name} ${into} COMMAND_ERROR_IS_FATAL ANY)
  else()
    file(COPY_FILE ${FROM}/${name} ${into})
  endif()
  file(WRITE ${INTO}/placed/${to} "${is}")
endfunction()

if(OBJCOPY)
  # The library keeps its table of symbols: perf and gdb name its functions without the other file. Not those of Rust's own
  # generic code (core, alloc): the longest names, 0.4 MB, of functions that do not tell where a program is. Nor those of constants
  # and of tables for unwinding, which are no functions: 0.2 MB.
  set(debug ${INTO}/${LIBRARY}.debug)
  place(libdvm.so ${debug} --only-keep-debug --compress-debug-sections=zlib)
  place(libdvm.so ${INTO}/${LIBRARY} --strip-debug --wildcard "--strip-symbol=_ZN4core*" "--strip-symbol=_ZN5alloc*"
    "--strip-symbol=anon.*" "--strip-symbol=GCC_except_table*"
    --add-gnu-debuglink=${debug})
else()
  place(libdvm.so ${INTO}/${LIBRARY})
endif()
file(CREATE_LINK ${LIBRARY} ${INTO}/${SONAME} SYMBOLIC)
file(CREATE_LINK ${SONAME} ${INTO}/libdvm.so SYMBOLIC)

file(MAKE_DIRECTORY ${INTO}/bin)
foreach(program IN LISTS PROGRAMS)
  if(EXISTS ${FROM}/${program})
    place(${program} ${INTO}/bin/${program} --strip-unneeded)
  endif()
endforeach()
if(EXISTS ${INTO}/bin/dvm-codegen)
  foreach(link IN LISTS LINKS)
    file(CREATE_LINK ${INTO}/bin/dvm-codegen ${INTO}/bin/${link} COPY_ON_ERROR)
  endforeach()
endif()
