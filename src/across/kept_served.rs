//! Arrays that are kept on the processes, in a process that serves.
#![allow(unsafe_code, reason = "reads the memory of a kept array")]

use std::ptr;

use super::kept::Extent;
use super::reservation::Reservation;
use super::spans::Spans;
use crate::error::Error;
use crate::system;
use crate::wire::{ACROSS_PIECE, KeptEvent, ServedArray, ServedExtent};

/// All kept arrays.
#[derive(Default)]
pub(super) struct KeptHere {
    all: Vec<Part>,
}

struct Part {
    extent: Extent,
    /// Where place 0 of process 0 would be, once that is known.
    origin: *mut u8,
    memory: Option<Reservation>,
}

impl KeptHere {
    /// A call begins, as in process 0.
    pub(super) fn begin(&mut self, arrays: &[ServedArray], processes: u32) {
        let mut used: Vec<u32> = Vec::new();
        for ServedExtent { id, span, .. } in arrays.iter().filter_map(|array| array.kept) {
            let span = (span.0 as i64, span.1 as i64);
            if let Some(part) = self.all.iter_mut().find(|part| part.extent.id == id) {
                part.extent.grow(span);
            } else {
                let extent = Extent::new(id, span, processes, system::page() as i64);
                self.all.push(Part { extent, origin: ptr::null_mut(), memory: None });
            }
            if !used.contains(&id) {
                used.push(id);
            }
        }
        self.all.iter_mut().filter(|part| used.contains(&part.extent.id)).for_each(|part| part.extent.begin());
    }

    pub(super) fn extent(&self, id: u32) -> Option<&Extent> {
        self.all.iter().map(|part| &part.extent).find(|extent| extent.id == id)
    }

    /// The extents after a call.
    pub(super) fn set(&mut self, after: Vec<Extent>) {
        for extent in after {
            if let Some(part) = self.all.iter_mut().find(|part| part.extent.id == extent.id) {
                part.extent = extent;
            }
        }
    }

    /// An array that the program's text names lies here.
    pub(super) fn lies(&mut self, kept: &ServedExtent, base: *mut u8) {
        if let Some(part) = self.all.iter_mut().find(|part| part.extent.id == kept.id) {
            part.origin = base.wrapping_offset((kept.base as isize).wrapping_neg());
        }
    }

    /// Where an array lies in the memory of its extent.
    pub(super) fn base(&mut self, kept: &ServedExtent) -> Result<*mut u8, Error> {
        let part = self.all.iter_mut().find(|part| part.extent.id == kept.id);
        let part = part.ok_or_else(|| Error::state("an array lies in no memory that is kept"))?;
        if part.origin.is_null() {
            let (first, end) = kept.window;
            let memory = Reservation::new((end - first) as usize)?;
            part.origin = memory.address().wrapping_offset((first as isize).wrapping_neg());
            part.memory = Some(memory);
        }
        Ok(part.origin.wrapping_offset(kept.base as isize))
    }

    /// Something happens to an extent. `send` gets what process 0 is to have of it from process `me`, in pieces.
    pub(super) fn event(
        &mut self,
        me: u32,
        (id, event): (u32, KeptEvent),
        spans: Vec<(u64, u64)>,
        send: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error> {
        let spans = Spans::of(spans.into_iter().map(|(first, end)| (first as i64, end as i64)).collect());
        let Some(at) = self.all.iter().position(|part| part.extent.id == id) else {
            return if event == KeptEvent::Forget { Ok(()) } else { Err(Error::state("no such memory is kept")) };
        };
        let part = &mut self.all[at];
        match event {
            KeptEvent::Bring => {
                for (source, spans) in part.extent.sources(0, &spans)? {
                    if source == me {
                        let rows = spans.list().iter();
                        rows.for_each(|&(first, end)| part.send(first, end, send));
                    }
                }
                part.extent.received(0, &spans);
            }
            KeptEvent::Wrote => part.extent.main_wrote(&spans),
            KeptEvent::Forget => drop(self.all.swap_remove(at)),
        }
        Ok(())
    }
}

impl Part {
    fn send(&self, first: i64, end: i64, send: &mut dyn FnMut(&[u8])) {
        let from = self.origin.wrapping_offset(first as isize);
        // SAFETY: this process has these bytes: its tiles have written them, or they have come. No tile runs now.
        let bytes = unsafe { std::slice::from_raw_parts(from, (end - first) as usize) };
        bytes.chunks(ACROSS_PIECE).for_each(send);
    }
}
