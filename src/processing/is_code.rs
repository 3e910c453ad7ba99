//! Whether an address that the dynamic linker gave for a name is code.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use super::image;

/// Kinds of symbols in the low bits of an ELF symbol's `st_info`.
const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;
const COMMON: u8 = 5;
const THREAD_LOCAL: u8 = 6;
const CHOSEN_FUNCTION: u8 = 10;
/// `dladdr1` is asked for the symbol's entry in the table.
const RTLD_DL_SYMENT: c_int = 1;

unsafe extern "C" {
    /// Looks any address up; both results are written, and neither is read.
    safe fn dladdr1(address: *const c_void, info: &mut libc::Dl_info, entry: &mut *mut c_void, flags: c_int) -> c_int;
}

/// Whether a function begins at the address, as far as the program's files tell: by its symbol, or, where the address
/// has none of its own (the choice of an IFUNC is a private function), by the segment that it lies in.
pub(super) fn is_function(address: *const c_void) -> bool {
    match symbol_kind(address) {
        Some(FUNCTION | CHOSEN_FUNCTION) => true,
        Some(OBJECT | COMMON | THREAD_LOCAL) => false,
        _ => image::is_code(address as usize),
    }
}

/// Whether the address is the value of a symbol in a dynamic table. That of a function which was chosen for this processor
/// is not.
pub(super) fn is_named(address: usize) -> bool {
    symbol_kind(std::ptr::without_provenance(address)).is_some()
}

/// The kind of the symbol whose value the address is.
fn symbol_kind(address: *const c_void) -> Option<u8> {
    let (fname, sname) = (null(), null());
    let mut info = libc::Dl_info { dli_fname: fname, dli_fbase: null_mut(), dli_sname: sname, dli_saddr: null_mut() };
    let mut entry: *mut c_void = null_mut();
    let found = dladdr1(address, &mut info, &mut entry, RTLD_DL_SYMENT);
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
