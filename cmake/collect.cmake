# Copies what cargo made in FROM into the build tree INTO: the library LIBRARY with its symbolic links, and those of
# PROGRAMS that exist.
file(COPY_FILE ${FROM}/libdvm.so ${INTO}/${LIBRARY} ONLY_IF_DIFFERENT)
file(CREATE_LINK ${LIBRARY} ${INTO}/${SONAME} SYMBOLIC)
file(CREATE_LINK ${SONAME} ${INTO}/libdvm.so SYMBOLIC)

file(MAKE_DIRECTORY ${INTO}/bin)
foreach(program IN LISTS PROGRAMS)
  if(EXISTS ${FROM}/${program})
    file(COPY_FILE ${FROM}/${program} ${INTO}/bin/${program} ONLY_IF_DIFFERENT)
  endif()
endforeach()
