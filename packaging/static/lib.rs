//! libdvm with all that it is made of, for an archive: cmake/static.cmake makes one object of it, `libdvm.a`.

// Nothing here calls it: C does.
extern crate dvm as _;
