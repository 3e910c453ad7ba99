//! Whether an address that the dynamic linker gave for a name is code.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

/// Kinds of symbols in the low bits of an ELF symbol's `st_info`.
const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;
const COMMON: u8 = 5;
const THREAD_LOCAL: u8 = 6;
const CHOSEN_FUNCTION: u8 = 10;
/// `dladdr1` is asked for the symbol's entry in the table.
const RTLD_DL_SYMENT: c_int = 1;

/// Whether a function begins at the address, as far as the program's files tell: by its symbol, or, where the address
/// has none of its own (the choice of an IFUNC is a private function), by the segment that it lies in.
pub(super) fn is_function(address: *const c_void) -> bool {
    match symbol_kind(address) {
        Some(FUNCTION | CHOSEN_FUNCTION) => true,
        Some(OBJECT | COMMON | THREAD_LOCAL) => false,
        _ => is_executable(address as usize),
    }
}

/// The kind of the symbol whose value the address is.
fn symbol_kind(address: *const c_void) -> Option<u8> {
    let (fname, sname) = (null(), null());
    let mut info = libc::Dl_info { dli_fname: fname, dli_fbase: null_mut(), dli_sname: sname, dli_saddr: null_mut() };
    let mut entry: *mut c_void = null_mut();
    // SAFETY: both results have room; any address may be asked for.
    let found = unsafe { libc::dladdr1(address, &raw mut info, &raw mut entry, RTLD_DL_SYMENT) };
    if found == 0 || entry.is_null() || !std::ptr::eq(info.dli_saddr, address) {
        return None;
    }
    // SAFETY: with this flag the entry is the address of a symbol in the table of a loaded file.
    let symbol = unsafe { &*entry.cast::<Symbol>() };
    Some(symbol.st_info & 0xf)
}

#[cfg(target_pointer_width = "64")]
type Symbol = libc::Elf64_Sym;
#[cfg(target_pointer_width = "32")]
type Symbol = libc::Elf32_Sym;

/// What is looked for among the segments.
struct Search {
    address: usize,
    executable: bool,
}

/// Whether the address lies in a segment of a loaded file that may be executed.
fn is_executable(address: usize) -> bool {
    let mut search = Search { address, executable: false };
    // SAFETY: `look` gets the search, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.executable
}

unsafe extern "C" fn look(file: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: the linker describes a loaded file; `is_executable` gives its search.
    let (file, search) = unsafe { (&*file, &mut *search.cast::<Search>()) };
    if file.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the linker says how many headers there are.
    let segments = unsafe { std::slice::from_raw_parts(file.dlpi_phdr, usize::from(file.dlpi_phnum)) };
    let holds = |segment: &&Segment| {
        let begin = (file.dlpi_addr as usize).wrapping_add(segment.p_vaddr as usize);
        segment.p_type == libc::PT_LOAD && search.address.wrapping_sub(begin) < segment.p_memsz as usize
    };
    let Some(segment) = segments.iter().find(holds) else { return 0 };
    search.executable = segment.p_flags & libc::PF_X != 0;
    1
}

#[cfg(target_pointer_width = "64")]
type Segment = libc::Elf64_Phdr;
#[cfg(target_pointer_width = "32")]
type Segment = libc::Elf32_Phdr;
