//! The arrays of a call as sets of bytes: those that lie in memory that is kept on the processes, and the others, which
//! process 0 alone has between regions.

use super::kept::Extent;
use super::plan::Plan;
use super::rows::{ElementRow, ElementRows};
use super::spans::Spans;
use crate::error::Error;
use crate::wire::ServedExtent;

/// Where an array of a call lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArrayPlace {
    /// The bytes of an element.
    pub(crate) element: i64,
    /// The index in the call's list of extents, and the place of the array's base.
    pub(crate) extent: Option<(usize, i64)>,
}

/// The arrays of a call. A *store* is what rows of bytes are counted in: the arrays, from the base on, then the extents, by
/// place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallArrays {
    pub(crate) arrays: Vec<ArrayPlace>,
    pub(crate) extents: Vec<Extent>,
    /// By extent: what its tiles write stays with them.
    pub(crate) keep: Vec<bool>,
}

/// What a process sends, and gets, before the tiles run: by the other process, in bytes of stores.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryRows {
    pub(crate) sends: Vec<(u32, ElementRows)>,
    pub(crate) waits: Vec<(u32, ElementRows)>,
}

impl CallArrays {
    /// Arrays of which nothing is kept; `elements`: the bytes of an element, by array.
    pub(crate) fn plain(elements: impl Iterator<Item = usize>) -> CallArrays {
        let arrays = elements.map(|element| ArrayPlace { element: element as i64, extent: None }).collect();
        CallArrays { arrays, ..CallArrays::default() }
    }

    /// Arrays of which some lie in kept memory. `extent`: what is known of an extent with this number.
    ///
    /// # Errors
    /// An extent is not known.
    pub(crate) fn with_kept(
        elements: impl Iterator<Item = usize>,
        kept: &[Option<ServedExtent>],
        extent: impl Fn(u32) -> Option<Extent>,
    ) -> Result<CallArrays, Error> {
        let mut all = CallArrays::plain(elements);
        for (place, kept) in all.arrays.iter_mut().zip(kept) {
            let Some(ServedExtent { id, keep, base, .. }) = *kept else { continue };
            let at = all.extents.iter().position(|extent| extent.id == id).unwrap_or(all.extents.len());
            if at == all.extents.len() {
                all.extents.push(extent(id).ok_or_else(|| Error::state("an array lies in no memory that is kept"))?);
                all.keep.push(false);
            }
            all.keep[at] |= keep;
            place.extent = Some((at, base as i64));
        }
        Ok(all)
    }

    /// Whether process 0 has all values.
    pub(crate) fn are_all_here(&self) -> bool {
        self.extents.iter().all(|extent| extent.elsewhere().is_empty())
    }

    /// By extent: an array in it, and the place of the array's base.
    pub(crate) fn bases(&self) -> Vec<(usize, i64)> {
        let base = |extent: usize| {
            let of = |(array, place): (usize, &ArrayPlace)| {
                place.extent.filter(|(at, _)| *at == extent).map(|(_, base)| (array, base))
            };
            self.arrays.iter().enumerate().find_map(of).unwrap_or_default()
        };
        (0..self.extents.len()).map(base).collect()
    }

    /// By store: the bytes of rows of elements.
    fn spans(&self, rows: &ElementRows) -> Vec<Spans> {
        let mut all = vec![Vec::new(); self.arrays.len() + self.extents.len()];
        for row in rows.list() {
            let place = &self.arrays[row.array as usize];
            let (first, end) = (row.first * place.element, (row.first + row.count) * place.element);
            match place.extent {
                Some((extent, base)) => all[self.arrays.len() + extent].push((base + first, base + end)),
                None => all[row.array as usize].push((first, end)),
            }
        }
        all.into_iter().map(Spans::of).collect()
    }

    /// The rows of bytes of these spans, by store.
    fn rows(stores: &[Spans]) -> ElementRows {
        let mut rows = ElementRows::default();
        for (store, spans) in stores.iter().enumerate() {
            for (first, end) in spans.list() {
                rows.add(ElementRow { array: store as u32, first: *first, count: end - first });
            }
        }
        rows
    }

    /// What process `me` sends and gets before the tiles run. Afterwards all have what they need.
    ///
    /// # Errors
    /// Tiles need what nobody has.
    pub(crate) fn enter(&mut self, plan: &Plan, me: u32) -> Result<EntryRows, Error> {
        let (mut entry, mut received) = (EntryRows::default(), Vec::new());
        let arrays = self.arrays.len();
        for process in 0..plan.processes {
            // Where nothing is kept, only process 0 sends, and needs nothing.
            if self.extents.is_empty() && (process == 0 || (me != 0 && process != me)) {
                continue;
            }
            let needed = self.spans(&plan.entering(process));
            let mut from: Vec<(u32, Vec<Spans>)> = Vec::new();
            let mut add = |source: u32, store: usize, spans: Spans| {
                let at = from.iter().position(|(known, _)| *known == source).unwrap_or_else(|| {
                    from.push((source, vec![Spans::default(); needed.len()]));
                    from.len() - 1
                });
                from[at].1[store] = spans;
            };
            for (store, spans) in needed.iter().enumerate() {
                if store >= arrays {
                    let extent = &self.extents[store - arrays];
                    extent.sources(process, spans)?.into_iter().for_each(|(source, spans)| add(source, store, spans));
                } else if process != 0 && !spans.is_empty() {
                    add(0, store, spans.clone());
                }
            }
            for (source, stores) in from {
                if source == me {
                    entry.sends.push((process, Self::rows(&stores)));
                } else if process == me {
                    entry.waits.push((source, Self::rows(&stores)));
                }
            }
            received.push((process, needed));
        }
        // Only now: all send before they have got anything.
        for (process, needed) in received {
            for (extent, spans) in self.extents.iter_mut().zip(&needed[arrays..]) {
                extent.received(process, spans);
            }
        }
        Ok(entry)
    }

    /// What goes to those that run main, of what a tile leaves behind, in bytes of stores.
    pub(crate) fn returned(&self, left: &ElementRows) -> ElementRows {
        let mut stores = self.spans(left);
        for ((extent, keep), spans) in self.extents.iter().zip(&self.keep).zip(&mut stores[self.arrays.len()..]) {
            if *keep {
                *spans = spans.common(&extent.edges());
            }
        }
        Self::rows(&stores)
    }

    /// The extents after the region.
    pub(crate) fn after(mut self, plan: &Plan) -> Vec<Extent> {
        if self.extents.is_empty() {
            return Vec::new();
        }
        let arrays = self.arrays.len();
        let mut written: Vec<Vec<Spans>> = vec![Vec::new(); self.extents.len()];
        for process in 0..plan.processes {
            let left = self.spans(&plan.left_by(process));
            written.iter_mut().zip(left.into_iter().skip(arrays)).for_each(|(all, own)| all.push(own));
        }
        for ((extent, keep), written) in self.extents.iter_mut().zip(&self.keep).zip(&written) {
            let returned = if *keep { extent.edges() } else { Spans::one(extent.span.0, extent.span.1) };
            extent.written(written, &returned);
        }
        self.extents
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::{Owners, Placement, Preference};
    use super::super::plan::{FlowEnds, Flows, Graph, InstanceBox};
    use super::*;

    /// All tiles read elements 0 to 9 of array 0.
    struct AllRead([FlowEnds; 1]);

    impl Flows for AllRead {
        fn list(&self) -> &[FlowEnds] {
            &self.0
        }

        fn rows(&self, _: usize, _: &InstanceBox, _: &InstanceBox, visit: &mut dyn FnMut(ElementRow)) {
            visit(ElementRow { array: 0, first: 0, count: 10 });
        }
    }

    /// A process that gets elements before the tiles run has them too late to send them on.
    #[test]
    fn who_sends_has_the_elements_before() {
        let processes = 4;
        let preference = Preference { coordinates: vec![0], cyclic: false, near: false };
        let owners = Owners::new(&[4], processes, &preference, &Placement::default());
        let graph = Graph {
            phase: 0,
            hosts: Vec::new(),
            extent: vec![4],
            first: vec![0],
            step: vec![1],
            carried: vec![false],
            owners,
        };
        let flows = Box::new(AllRead([FlowEnds { from: None, to: Some(0) }]));
        let plan = Plan::new(vec![graph], processes, flows);
        for holder in 0..processes {
            let mut extent = Extent::new(7, (0, 80), processes, 4096);
            let mut written = vec![Spans::default(); processes as usize];
            written[holder as usize] = Spans::one(0, 80);
            extent.written(&written, &Spans::default());
            let place = ServedExtent { id: 7, keep: true, base: 0, span: (0, 80), window: (0, 4096) };
            let kept = [Some(place)];
            let arrays = CallArrays::with_kept([8].into_iter(), &kept, |_| Some(extent.clone())).expect("it is known");
            for me in 0..processes {
                let mut own = arrays.clone();
                let entry = own.enter(&plan, me).expect("somebody has it");
                let others = |rows: &[(u32, ElementRows)]| rows.iter().map(|(other, _)| *other).collect::<Vec<_>>();
                let all_others: Vec<u32> = (0..processes).filter(|process| *process != holder).collect();
                let [sends, waits] = if me == holder { [all_others, vec![]] } else { [vec![], vec![holder]] };
                assert_eq!(others(&entry.sends), sends, "{holder} has it, {me} sends");
                assert_eq!(others(&entry.waits), waits, "{holder} has it, {me} waits");
                assert!(own.extents[0].sources(me, &Spans::one(0, 80)).expect("it has come").is_empty());
            }
        }
    }
}
