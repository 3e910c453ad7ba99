//! A region in a process that has not run its program: memory for the context and the arrays, and their values.
#![allow(unsafe_code, reason = "calls a function of the region, and copies members of its context")]

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr;
use std::slice;

use super::functions::{ArrayAt, Functions};
use super::kept_served::KeptHere;
use super::known::KnownRegion;
use super::memory_ranges::MemoryRanges;
use super::reservation::Reservation;
use crate::error::Error;
use crate::memory::Allocation;
use crate::wire::{ServedArray, ServedCall, ServedExtent};

/// Most bytes of a region's values: they go in one message.
const MOST_VALUES: usize = 64 << 10;

/// Most arrays of a region whose processes serve.
const MOST_ARRAYS: usize = 1024;

/// No type of C needs more.
const CONTEXT_ALIGNMENT: usize = 64;

impl KnownRegion {
    /// The call that process 0 hands to the others; `None`: it has too much to tell.
    ///
    /// # Safety
    /// The context is one of this region.
    pub(crate) unsafe fn call(
        &self,
        region: u32,
        context: *const c_void,
        arrays: &[GivenArray],
        kept: &[Option<ServedExtent>],
        digest: u64,
    ) -> Option<ServedCall<Vec<u8>>> {
        let mut values = Vec::new();
        for member in &self.members {
            let from = context.cast::<u8>().wrapping_add(member.at);
            // SAFETY: by this function's contract: a member of the context, which is initialised.
            values.extend_from_slice(unsafe { slice::from_raw_parts(from, member.bytes) });
        }
        let fits = values.len() <= MOST_VALUES && arrays.len() <= MOST_ARRAYS;
        fits.then(|| ServedCall {
            region,
            program: self.program(),
            digest,
            values,
            arrays: arrays.iter().zip(kept).map(|(array, kept)| array.served(*kept)).collect(),
            again: None,
        })
    }
}

fn other_program() -> Error {
    Error::state("the program of process 0 is another one than that of this process")
}

impl KnownRegion {
    /// The bytes of its values.
    fn values(&self) -> usize {
        self.members.iter().map(|member| member.bytes).sum()
    }

    /// Sets the pointers of a context of this region, and those at file scope, to these bases.
    fn place(&self, context: ptr::NonNull<u8>, bases: &mut [*mut c_void]) {
        // SAFETY: the function is that of the region's table, the context is one of it, and there is a base for each array.
        unsafe { (self.places)(context.as_ptr().cast(), bases.as_mut_ptr()) };
    }
}

/// A call of a region in a process that serves.
pub(super) struct ServedRegion {
    /// What the functions use.
    context: Allocation,
    bases: Vec<*mut c_void>,
    reservations: Vec<Reservation>,
    pub(super) functions: Functions,
}

impl ServedRegion {
    /// Makes the context and the arrays. `old`: memory of the last call, which may serve again.
    ///
    /// # Errors
    /// The call is none of this region, or there is no memory for it.
    pub(super) fn new(
        region: &KnownRegion,
        call: &ServedCall<Vec<u8>>,
        mut old: Vec<Reservation>,
        kept: &mut KeptHere,
    ) -> Result<ServedRegion, Error> {
        let inside = region.members.iter().all(|member| member.at + member.bytes <= region.context);
        if call.program != region.program()
            || call.arrays.len() != region.arrays
            || call.values.len() != region.values()
            || !inside
        {
            return Err(other_program());
        }
        let mut reservations: Vec<Reservation> = Vec::new();
        let mut bases: Vec<*mut c_void> = Vec::new();
        for array in &call.arrays {
            let Some(needed) = Reservation::needed(array).filter(|_| !array.named && array.kept.is_none()) else {
                bases.push(ptr::null_mut());
                continue;
            };
            let reservation = match old.iter().position(|old| old.bytes() == needed) {
                Some(at) => old.swap_remove(at),
                None => Reservation::new(needed)?,
            };
            bases.push(reservation.base(array).cast());
            reservations.push(reservation);
        }
        let layout = Layout::from_size_align(region.context.max(1), CONTEXT_ALIGNMENT);
        let context = layout.ok().and_then(Allocation::new).ok_or_else(crate::memory::none)?;
        let address = context.part(0, region.context);
        // SAFETY: so many bytes were just allocated; all zeros is a context whose members are not set yet.
        unsafe { address.write_bytes(0, region.context) };
        copy_values(region, address, &call.values);
        region.place(address, &mut bases);
        if call.arrays.iter().any(|array| array.kept.is_some()) {
            put_in_kept(call, kept, &mut bases)?;
            region.place(address, &mut bases);
        }
        let maps = MemoryRanges::read();
        let array = |(base, array): (&*mut c_void, &ServedArray)| {
            let base: *mut u8 = base.cast();
            let fixed = array.named && Reservation::needed(array).is_some() && !is_writable(&maps, base, array);
            ArrayAt { base, element: array.element as usize, fixed }
        };
        let arrays = bases.iter().zip(&call.arrays).map(array).collect();
        // SAFETY: the functions are those of the table, for this context. Nobody else uses it or the arrays: this process
        // does not run its program.
        let functions = unsafe { Functions::new(address.as_ptr().cast(), region.body, region.flows.clone(), arrays) };
        Ok(ServedRegion { context, bases, reservations, functions })
    }

    /// Has it run with other values.
    ///
    /// # Errors
    /// They are none of the region.
    pub(super) fn set_values(&mut self, region: &KnownRegion, values: &[u8]) -> Result<(), Error> {
        if values.len() != region.values() {
            return Err(other_program());
        }
        let address = self.context.part(0, region.context);
        copy_values(region, address, values);
        region.place(address, &mut self.bases);
        Ok(())
    }

    /// The region, if it has no memory of its own for arrays; else that memory, for the next call.
    pub(super) fn keeps_no_memory(self) -> Result<ServedRegion, Vec<Reservation>> {
        if self.reservations.is_empty() { Ok(self) } else { Err(self.reservations) }
    }
}

/// Sets the members of a context that has room for all of them.
fn copy_values(region: &KnownRegion, context: ptr::NonNull<u8>, mut values: &[u8]) {
    for member in &region.members {
        let (value, rest) = values.split_at(member.bytes);
        // SAFETY: the members lie inside of the context, as was seen when it was made, and nobody runs the region now.
        unsafe { ptr::copy_nonoverlapping(value.as_ptr(), context.as_ptr().add(member.at), member.bytes) };
        values = rest;
    }
}

/// Sets the bases of arrays that lie in kept memory. Those that have names are known by now: pointers may lead into them.
fn put_in_kept(call: &ServedCall<Vec<u8>>, kept: &mut KeptHere, bases: &mut [*mut c_void]) -> Result<(), Error> {
    let arrays = || call.arrays.iter().enumerate().filter_map(|(k, array)| Some((k, array, array.kept?)));
    for (k, _, place) in arrays().filter(|(_, array, _)| array.named) {
        kept.lies(&place, bases[k].cast());
    }
    for (k, _, place) in arrays().filter(|(_, array, _)| !array.named) {
        bases[k] = kept.base(&place)?.cast();
    }
    Ok(())
}

/// Whether both ends of an array can be written: constant arrays are as in process 0, and cannot.
fn is_writable(maps: &MemoryRanges, base: *mut u8, array: &ServedArray) -> bool {
    let at = |offset: i64| base.wrapping_offset(offset as isize).addr() as i64;
    maps.are_writable(&[at(array.begin), at(array.end - 1)])
}

/// An array of a region's call, as generated code gives it.
pub(crate) struct GivenArray {
    pub(crate) base: *mut c_void,
    /// The bytes of an element.
    pub(crate) element: usize,
    /// The bytes that are touched, counted from the base.
    pub(crate) touched: (i64, i64),
    /// The program's text names the array itself.
    pub(crate) named: bool,
    pub(crate) keep: Keep,
}

/// How long an array stays on the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Process 0 has it after the region.
    No,
    /// Until the loop of regions ends that this thread runs.
    InLoop,
    /// Clause `keep`: until main uses it.
    Always,
}

impl GivenArray {
    /// The addresses that are touched.
    pub(super) fn places(&self) -> (i64, i64) {
        let base = self.base.addr() as i64;
        (base + self.touched.0, base + self.touched.1)
    }

    /// As servers get to know it.
    fn served(&self, kept: Option<ServedExtent>) -> ServedArray {
        let skew = (self.base.addr() % usize::from(ServedArray::ALIGNMENT)) as u16;
        let (begin, end) = self.touched;
        ServedArray { begin, end: end.max(begin), skew, element: self.element as u32, named: self.named, kept }
    }
}
