//! Which pages of a kept array main may not access, in process 0, and how they are closed and opened.

use super::guarded_pages;
use super::kept::Access;
use super::spans::Spans;
use crate::error::Error;

/// The pages of a kept array that are not open to main.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClosedPages {
    /// Not to be accessed.
    pub(super) nothing: Spans,
    /// Not to be written.
    pub(super) read: Spans,
}

impl ClosedPages {
    /// From pages, as first place and end, and what main may do with them.
    pub(super) fn of(pages: &[((i64, i64), Access)]) -> ClosedPages {
        let with = |wanted: Access| {
            Spans::of(pages.iter().filter(|(_, access)| *access == wanted).map(|(pages, _)| *pages).collect())
        };
        ClosedPages { nothing: with(Access::Nothing), read: with(Access::Read) }
    }

    pub(super) fn without(&self, open: &Spans) -> ClosedPages {
        ClosedPages { nothing: self.nothing.without(open), read: self.read.without(open) }
    }

    /// By what main may do with them.
    pub(super) fn list(&self) -> Vec<((i64, i64), Access)> {
        let nothing = self.nothing.list().iter().map(|pages| (*pages, Access::Nothing));
        nothing.chain(self.read.list().iter().map(|pages| (*pages, Access::Read))).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nothing.is_empty() && self.read.is_empty()
    }

    /// What differs in `wanted`.
    fn changes(&self, wanted: &ClosedPages) -> Vec<((i64, i64), Option<Access>)> {
        let with = |spans: Spans, access: Option<Access>| {
            spans.list().iter().map(|pages| (*pages, access)).collect::<Vec<_>>()
        };
        let opened = self.nothing.union(&self.read).without(&wanted.nothing).without(&wanted.read);
        let mut all = with(wanted.nothing.without(&self.nothing), Some(Access::Nothing));
        all.extend(with(wanted.read.without(&self.read), Some(Access::Read)));
        all.extend(with(opened, None));
        all
    }

    /// Closes and opens what differs.
    ///
    /// # Errors
    /// The system refuses: some pages may be as before, and all that may be closed count as such.
    pub(super) fn set(&mut self, wanted: ClosedPages) -> Result<(), Error> {
        let changed =
            self.changes(&wanted).into_iter().try_for_each(|(pages, access)| guarded_pages::allow(pages, access));
        if changed.is_err() {
            self.nothing = self.nothing.union(&self.read).union(&wanted.nothing).union(&wanted.read);
            self.read = Spans::default();
            return changed;
        }
        *self = wanted;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system;
    use testkit::Random;

    fn access(closed: &ClosedPages, place: i64) -> Option<Access> {
        let within = |spans: &Spans| spans.list().iter().any(|(first, end)| (*first..*end).contains(&place));
        let nothing = within(&closed.nothing).then_some(Access::Nothing);
        nothing.or_else(|| within(&closed.read).then_some(Access::Read))
    }

    fn some(random: &mut Random) -> ClosedPages {
        let accesses: Vec<usize> = (0..20).map(|_| random.below(3)).collect();
        let pages = |wanted: usize| {
            let all = accesses.iter().enumerate().filter(|(_, access)| **access == wanted);
            Spans::of(all.map(|(page, _)| (page as i64, page as i64 + 1)).collect())
        };
        ClosedPages { nothing: pages(1), read: pages(2) }
    }

    #[test]
    fn only_what_differs_is_changed() {
        for mut random in testkit::seeds(500).map(Random::new) {
            let (now, wanted) = (some(&mut random), some(&mut random));
            assert_eq!(ClosedPages::of(&now.list()), now);
            let changes = now.changes(&wanted);
            for place in 0..20 {
                let here = changes.iter().filter(|((first, end), _)| (*first..*end).contains(&place));
                let told: Vec<_> = here.map(|(_, access)| *access).collect();
                let same = access(&now, place) == access(&wanted, place);
                assert_eq!(
                    told,
                    if same { vec![] } else { vec![access(&wanted, place)] },
                    "{now:?} {wanted:?} {place}"
                );
            }
        }
    }

    #[test]
    #[cfg(not(miri))]
    fn what_was_closed_before_a_failure_is_known() {
        let page = system::page() as i64;
        let memory: Vec<u8> = vec![0; 8 * page as usize];
        let first = (memory.as_ptr().addr() as i64 + page) / page * page;
        // The last page of all addresses is none of a program.
        let nowhere = (i64::MAX / page - 1) * page;
        let nothing = Spans::of(vec![(first, first + page), (nowhere, nowhere + page)]);
        let mut closed = ClosedPages::default();
        assert!(closed.set(ClosedPages { nothing, read: Spans::default() }).is_err());
        assert!(closed.nothing.contains(first));
        guarded_pages::allow((first, first + page), None).expect("it is the test's own page");
        drop(memory);
    }
}
