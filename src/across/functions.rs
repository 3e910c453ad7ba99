//! The functions and arrays of a region: generated code, called and copied from by address.
#![allow(unsafe_code, reason = "calls the functions of a region, and copies elements of its arrays")]

use std::ffi::{c_int, c_void};
use std::ptr;

use super::plan::{FlowEnds, Flows, InstanceBox};
use super::rows::{ElementRow, ElementRows};
use crate::error::{Error, dvm_retcode_t};
use crate::processing::{forced, unwind_boundary};

/// Takes a row of an array: its number, the first element, and how many there are.
pub(crate) type VisitRow = unsafe extern "C" fn(visitor: *mut c_void, array: c_int, first: i64, count: i64);

/// Visits the rows of a flow between two boxes.
pub(crate) type FlowRows = unsafe extern "C" fn(
    context: *mut c_void,
    writer_first: *const i64,
    writer_end: *const i64,
    reader_first: *const i64,
    reader_end: *const i64,
    visit: VisitRow,
    visitor: *mut c_void,
);

/// Runs the loops around the graphs of a region, which gives each of them to the call.
pub(crate) type Body = unsafe extern "C" fn(context: *mut c_void, call: *mut c_void) -> c_int;

/// An array of a region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayAt {
    pub(crate) base: *mut u8,
    /// The bytes of an element.
    pub(crate) element: usize,
    /// It cannot be written, and is the same in all processes.
    pub(crate) fixed: bool,
}

/// The functions of a region, with the context of one call.
#[derive(Clone)]
pub(crate) struct Functions {
    context: *mut c_void,
    body: Body,
    ends: Vec<FlowEnds>,
    rows: Vec<FlowRows>,
    arrays: Vec<ArrayAt>,
    sizes: Vec<usize>,
}

// SAFETY: `Functions::new` demands functions that any thread may call, several at a time, and arrays that the call may use.
unsafe impl Send for Functions {}
// SAFETY: as for Send.
unsafe impl Sync for Functions {}

impl Functions {
    /// The functions of a region.
    ///
    /// # Safety
    /// Until the last use, any thread may call them with this context, several at a time; the rows that they tell are
    /// elements of the arrays, which nobody else uses meanwhile.
    pub(crate) unsafe fn new(
        context: *mut c_void,
        body: Body,
        flows: Vec<(FlowEnds, FlowRows)>,
        arrays: Vec<ArrayAt>,
    ) -> Functions {
        let (ends, rows) = flows.into_iter().unzip();
        let sizes = arrays.iter().map(|array| array.element).collect();
        Functions { context, body, ends, rows, arrays, sizes }
    }

    /// The same memory in bytes of stores (`call_arrays`): the arrays, and then extents. `extents`: an array in each, and
    /// the place of its base.
    pub(crate) fn in_bytes(&self, extents: &[(usize, i64)]) -> Functions {
        let mut arrays: Vec<ArrayAt> = self.arrays.iter().map(|array| ArrayAt { element: 1, ..*array }).collect();
        for &(array, base) in extents {
            let of = self.arrays[array];
            arrays.push(ArrayAt { base: of.base.wrapping_offset(-(base as isize)), element: 1, fixed: of.fixed });
        }
        Functions { sizes: vec![1; arrays.len()], arrays, ..self.clone() }
    }

    /// Runs the loops around the graphs. `call`: what they are given to.
    pub(crate) fn body(&self, call: *mut c_void) -> Result<(), Error> {
        // SAFETY: by the promise made to `new`: the context is that of the body, which takes two arguments.
        let called = forced::with_place(|| unsafe {
            unwind_boundary::call_directly(
                std::mem::transmute::<Body, unwind_boundary::Function>(self.body),
                [self.context, call, ptr::null_mut(), ptr::null_mut()],
            )
        });
        match called? {
            0 => Ok(()),
            code => Err(Error::new(dvm_retcode_t::DVM_ERR_TASK, format!("the region's body ended with code {code}"))),
        }
    }

    /// Copies the elements of the rows, one after the other.
    pub(crate) fn pack(&self, rows: &ElementRows) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(rows.bytes(&self.sizes));
        for row in rows.list() {
            let (from, length) = self.place(row);
            // SAFETY: by the promise made to `new`; no tile that writes these elements runs now (`machine`).
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(from, length) });
        }
        bytes
    }

    /// Copies the elements of the rows, in pieces of at most `most` bytes; `visit` gets each, and whether more follow.
    pub(crate) fn pack_pieces(&self, rows: &ElementRows, most: usize, visit: &mut dyn FnMut(&[u8], bool)) {
        let mut left = rows.bytes(&self.sizes);
        let mut piece = Vec::with_capacity(left.min(most));
        for row in rows.list() {
            let (mut from, mut length) = self.place(row);
            while length > 0 {
                let taken = length.min(most - piece.len());
                // SAFETY: as for `pack`.
                piece.extend_from_slice(unsafe { std::slice::from_raw_parts(from, taken) });
                (from, length, left) = (from.wrapping_add(taken), length - taken, left - taken);
                if piece.len() == most || left == 0 {
                    visit(&piece, left > 0);
                    piece.clear();
                }
            }
        }
    }

    /// Copies the next elements of the rows to their places: those after the first `done` bytes of all. Those of fixed
    /// arrays are there already.
    pub(crate) fn unpack_piece(&self, rows: &ElementRows, done: &mut usize, mut bytes: &[u8]) -> Result<(), Error> {
        let mut before = 0;
        for row in rows.list() {
            let (to, length) = self.place(row);
            let (begin, end) = (before, before + length);
            before = end;
            if *done >= end || bytes.is_empty() {
                continue;
            }
            let skipped = *done - begin;
            let (own, rest) = bytes.split_at(bytes.len().min(length - skipped));
            if !self.arrays[row.array as usize].fixed {
                // SAFETY: as for `unpack`; the row has so many bytes left.
                unsafe { ptr::copy_nonoverlapping(own.as_ptr(), to.wrapping_add(skipped), own.len()) };
            }
            *done += own.len();
            bytes = rest;
        }
        if bytes.is_empty() { Ok(()) } else { Err(too_much(before)) }
    }

    /// By array: the bytes of an element.
    pub(crate) fn elements(&self) -> impl Iterator<Item = usize> + '_ {
        self.arrays.iter().map(|array| array.element)
    }

    /// The bytes of all elements of the rows.
    pub(crate) fn bytes(&self, rows: &ElementRows) -> usize {
        rows.bytes(&self.sizes)
    }

    /// Copies the elements back to their places.
    pub(crate) fn unpack(&self, rows: &ElementRows, bytes: &[u8]) -> Result<(), Error> {
        let wanted = rows.bytes(&self.sizes);
        if wanted != bytes.len() {
            let text = format!(
                "{} bytes have come where {wanted} were to come: the processes run different regions",
                bytes.len()
            );
            return Err(Error::new(dvm_retcode_t::DVM_ERR_STATE, text));
        }
        let mut left = bytes;
        for row in rows.list() {
            let (to, length) = self.place(row);
            let (own, rest) = left.split_at(length);
            // SAFETY: as for `pack`; no tile that reads or writes these elements runs now.
            unsafe { ptr::copy_nonoverlapping(own.as_ptr(), to, length) };
            left = rest;
        }
        Ok(())
    }

    fn place(&self, row: &ElementRow) -> (*mut u8, usize) {
        let array = &self.arrays[row.array as usize];
        (array.base.wrapping_offset(row.first as isize * array.element as isize), row.count as usize * array.element)
    }
}

fn too_much(wanted: usize) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_STATE,
        format!("more than the {wanted} bytes have come that were to come: the processes run different regions"),
    )
}

impl Flows for Functions {
    fn list(&self) -> &[FlowEnds] {
        &self.ends
    }

    fn rows(&self, flow: usize, writer: &InstanceBox, reader: &InstanceBox, visit: &mut dyn FnMut(ElementRow)) {
        struct Visitor<'a>(&'a mut dyn FnMut(ElementRow), usize);
        unsafe extern "C" fn forward(visitor: *mut c_void, array: c_int, first: i64, count: i64) {
            // SAFETY: the address that is given to the function below, which has not returned yet.
            let visitor = unsafe { &mut *visitor.cast::<Visitor<'_>>() };
            if let Ok(array) = u32::try_from(array)
                && (array as usize) < visitor.1
            {
                (visitor.0)(ElementRow { array, first, count });
            }
        }
        let mut visitor = Visitor(visit, self.arrays.len());
        let [from, from_end, to, to_end] = [&writer.first, &writer.end, &reader.first, &reader.end].map(Vec::as_ptr);
        // SAFETY: by the promise made to `new`; the boxes have all coordinates of their phases. Generated code throws nothing.
        unsafe { (self.rows[flow])(self.context, from, from_end, to, to_end, forward, (&raw mut visitor).cast()) };
    }
}
