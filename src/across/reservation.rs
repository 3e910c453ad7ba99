//! Memory of a process that serves, for the arrays of a region.
#![allow(unsafe_code, reason = "maps and unmaps memory")]

use std::ptr;

use crate::error::{Error, dvm_retcode_t};
use crate::wire::ServedArray;

/// Addresses for the elements that a region touches of an array. Only pages that are touched cost memory.
pub(super) struct Reservation {
    address: *mut u8,
    bytes: usize,
}

// SAFETY: the memory belongs to the value, whichever thread has it.
unsafe impl Send for Reservation {}

impl Reservation {
    /// The bytes that a reservation for this array has.
    pub(super) fn needed(array: &ServedArray) -> Option<usize> {
        let bytes = usize::try_from(array.end - array.begin).ok()?;
        (bytes > 0).then(|| bytes.checked_add(ServedArray::ALIGNMENT as usize)).flatten()
    }

    pub(super) fn new(bytes: usize) -> Result<Reservation, Error> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new memory, which replaces nothing.
        let address = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
        if address == libc::MAP_FAILED {
            let text = format!("there are no {bytes} bytes of addresses for an array of a region");
            return Err(Error::new(dvm_retcode_t::DVM_ERR_MEMORY, text));
        }
        Ok(Reservation { address: address.cast(), bytes })
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The first byte: the begin of a page.
    pub(super) fn address(&self) -> *mut u8 {
        self.address
    }

    /// Where the array's base is to be, so that what is touched lies inside, at the alignment that it has in the program.
    pub(super) fn base(&self, array: &ServedArray) -> *mut u8 {
        let alignment = i64::from(ServedArray::ALIGNMENT);
        let first = (i64::from(array.skew) + array.begin).rem_euclid(alignment);
        self.address.wrapping_offset((first - array.begin) as isize)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the memory that `new` has mapped; the call of the region that used it is over.
        unsafe { libc::munmap(self.address.cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    #[test]
    fn all_that_is_touched_lies_inside_and_as_in_the_program() {
        for mut random in testkit::seeds(200).map(Random::new) {
            let begin = random.below(100_000) as i64 - 50_000;
            let end = begin + 1 + random.below(50_000) as i64;
            let array =
                ServedArray { begin, end, skew: random.below(4096) as u16, element: 1, named: false, kept: None };
            let needed = Reservation::needed(&array).expect("it touches something");
            let reservation = Reservation::new(needed).expect("there is memory");
            let base = reservation.base(&array);
            assert_eq!(base.addr() % 4096, usize::from(array.skew));
            let (first, last) = (base.wrapping_offset(begin as isize), base.wrapping_offset(end as isize - 1));
            assert!(first >= reservation.address && last < reservation.address.wrapping_add(reservation.bytes()));
            // SAFETY: inside the memory, as was just seen.
            unsafe { (first.write(1), last.write(2)) };
        }
    }
}
