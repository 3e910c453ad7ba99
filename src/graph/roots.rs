//! The tiles that may have no predecessor, handed out in pieces to the workers.

use parking_lot::Mutex;

/// A half-open range of root numbers on a cache line of its own.
#[repr(align(64))]
struct Part(Mutex<(u64, u64)>);

/// Numbers `0 .. count`, each given out once. They start in equal consecutive parts, one per worker, so that a worker meets the
/// same part of the arrays in every graph of the same shape; who has none left takes half of another's rest.
pub(crate) struct Roots {
    parts: Box<[Part]>,
}

impl Roots {
    /// `count` roots for `workers` workers.
    pub(crate) fn new(count: u64, workers: usize) -> Self {
        let share = |part: usize| (u128::from(count) * part as u128 / workers as u128) as u64;
        Self { parts: (0..workers).map(|w| Part(Mutex::new((share(w), share(w + 1))))).collect() }
    }

    /// The next root of the worker's own part.
    pub(crate) fn next(&self, worker: usize) -> Option<u64> {
        let mut part = self.parts[worker].0.lock();
        (part.0 < part.1).then(|| {
            part.0 += 1;
            part.0 - 1
        })
    }

    /// Moves the later half of `victim`'s rest to `worker`, whose part is empty. True when there was something.
    pub(crate) fn take_half(&self, worker: usize, victim: usize) -> bool {
        let taken = {
            let mut part = self.parts[victim].0.lock();
            let rest = part.1 - part.0;
            if rest == 0 {
                return false;
            }
            let middle = part.1 - rest.div_ceil(2);
            let taken = (middle, part.1);
            part.1 = middle;
            taken
        };
        *self.parts[worker].0.lock() = taken;
        true
    }

    /// Takes away everything that is left in the worker's own part and says how much it was.
    pub(crate) fn abandon(&self, worker: usize) -> u64 {
        let mut part = self.parts[worker].0.lock();
        let rest = part.1 - part.0;
        part.0 = part.1;
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_root_is_given_out_once() {
        for (count, workers) in [(0, 3), (1, 4), (7, 3), (1000, 8)] {
            let roots = Roots::new(count, workers);
            let mut seen = Vec::new();
            // Only the last worker works: it must take everything from the others.
            let worker = workers - 1;
            loop {
                while let Some(root) = roots.next(worker) {
                    seen.push(root);
                }
                if !(0..worker).any(|victim| roots.take_half(worker, victim)) {
                    break;
                }
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn abandoned_roots_are_counted() {
        let roots = Roots::new(10, 2);
        roots.next(0);
        assert_eq!((roots.abandon(0), roots.abandon(1), roots.next(1)), (4, 5, None));
    }
}
