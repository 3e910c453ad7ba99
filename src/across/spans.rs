//! Sets of bytes at consecutive places.

/// A set of places: spans from a first place up to, and without, an end. They are in order, and none touches the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spans(Vec<(i64, i64)>);

impl Spans {
    pub(crate) fn one(first: i64, end: i64) -> Spans {
        Spans(if first < end { vec![(first, end)] } else { Vec::new() })
    }

    /// All places of these spans, in whatever order they come.
    pub(crate) fn of(mut all: Vec<(i64, i64)>) -> Spans {
        all.retain(|(first, end)| first < end);
        all.sort_unstable();
        let mut kept: Vec<(i64, i64)> = Vec::with_capacity(all.len());
        for (first, end) in all {
            match kept.last_mut() {
                Some(last) if first <= last.1 => last.1 = last.1.max(end),
                _ => kept.push((first, end)),
            }
        }
        Spans(kept)
    }

    pub(crate) fn list(&self) -> &[(i64, i64)] {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, place: i64) -> bool {
        let next = self.0.partition_point(|span| span.1 <= place);
        self.0.get(next).is_some_and(|span| span.0 <= place)
    }

    pub(crate) fn union(&self, other: &Spans) -> Spans {
        match (self.is_empty(), other.is_empty()) {
            (_, true) => self.clone(),
            (true, false) => other.clone(),
            _ => Spans::of(self.0.iter().chain(&other.0).copied().collect()),
        }
    }

    /// The places that are in both.
    pub(crate) fn common(&self, other: &Spans) -> Spans {
        let mut all = Vec::new();
        let mut others = other.0.iter().copied().peekable();
        for &(first, end) in &self.0 {
            while let Some(&(from, to)) = others.peek() {
                if from < end {
                    all.push((first.max(from), end.min(to)));
                }
                if to > end {
                    break;
                }
                others.next();
            }
        }
        Spans::of(all)
    }

    /// The places that are not in the other set.
    pub(crate) fn without(&self, other: &Spans) -> Spans {
        let mut all = Vec::new();
        let mut at = 0;
        for &(mut first, end) in &self.0 {
            at += other.0[at..].partition_point(|(_, to)| *to <= first);
            for &(from, to) in other.0[at..].iter().take_while(|(from, _)| *from < end) {
                if first < from {
                    all.push((first, from));
                }
                first = first.max(to);
            }
            if first < end {
                all.push((first, end));
            }
        }
        Spans(all)
    }

    /// The whole pages that hold any of the places.
    pub(crate) fn pages(&self, page: i64) -> Spans {
        let whole =
            |&(first, end): &(i64, i64)| (first.div_euclid(page) * page, (end + page - 1).div_euclid(page) * page);
        Spans::of(self.0.iter().map(whole).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use testkit::Random;

    fn some(random: &mut Random) -> (Spans, BTreeSet<i64>) {
        let spans: Vec<(i64, i64)> = (0..random.below(7))
            .map(|_| {
                let first = random.below(60) as i64 - 10;
                (first, first + random.below(9) as i64 - 1)
            })
            .collect();
        let places = spans.iter().flat_map(|(first, end)| *first..*end).collect();
        (Spans::of(spans), places)
    }

    fn places(spans: &Spans) -> BTreeSet<i64> {
        assert!(spans.list().iter().all(|(first, end)| first < end), "{spans:?}");
        assert!(spans.list().windows(2).all(|pair| pair[0].1 < pair[1].0), "{spans:?}");
        spans.list().iter().flat_map(|(first, end)| *first..*end).collect()
    }

    #[test]
    fn sets_are_those_of_their_places() {
        for mut random in testkit::seeds(3000).map(Random::new) {
            let ((one, in_one), (other, in_other)) = (some(&mut random), some(&mut random));
            assert_eq!(places(&one), in_one);
            assert_eq!(places(&one.union(&other)), &in_one | &in_other);
            assert_eq!(places(&one.common(&other)), &in_one & &in_other);
            assert_eq!(places(&one.without(&other)), &in_one - &in_other);
            let pages: BTreeSet<i64> = in_one.iter().flat_map(|place| (place.div_euclid(4) * 4..).take(4)).collect();
            assert_eq!(places(&one.pages(4)), pages);
        }
    }
}
