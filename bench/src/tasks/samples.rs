//! The runs of one system on one work.

/// What one run said.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The figure: ns per task, ns, or MiB.
    pub value: f64,
    /// The most memory that the process had, in KiB.
    pub peak_kib: u64,
    /// Whether the first task had not run before its submission returned.
    pub deferred: bool,
}

/// The runs of one system on one work with one number of workers.
#[derive(Default, Debug)]
pub struct Samples {
    /// In order of time.
    pub runs: Vec<Run>,
    /// Why there are no more.
    pub failure: Option<Failure>,
}

/// Why there is no figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It did not end within so many seconds.
    TimedOut(u64),
    /// Its results were right, and its measurement came to no figure: a property of the machine and its load.
    NoFigure(String),
    /// It ended with an error: a wrong result is one.
    Failed(String),
}

impl Samples {
    fn sorted(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.runs.iter().map(|run| run.value).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// The middle value; of an even number the lower middle one.
    pub fn median(&self) -> Option<f64> {
        let values = self.sorted();
        values.get(values.len().saturating_sub(1) / 2).copied().filter(|_| self.failure.is_none())
    }

    /// The least and the greatest value.
    pub fn spread(&self) -> Option<(f64, f64)> {
        let values = self.sorted();
        Some((*values.first()?, *values.last()?))
    }

    /// Whether all runs deferred their tasks.
    pub fn deferred(&self) -> bool {
        self.runs.iter().all(|run| run.deferred)
    }

    /// The most memory of all runs, in KiB.
    pub fn peak_kib(&self) -> u64 {
        self.runs.iter().map(|run| run.peak_kib).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Samples {
        let runs = values.iter().map(|&value| Run { value, peak_kib: 1, deferred: true }).collect();
        Samples { runs, failure: None }
    }

    #[test]
    fn medians_and_spreads() {
        assert_eq!(of(&[3.0, 1.0, 2.0]).median(), Some(2.0));
        assert_eq!(of(&[4.0, 1.0]).median(), Some(1.0));
        assert_eq!(of(&[3.0, 1.0, 2.0]).spread(), Some((1.0, 3.0)));
        assert_eq!((of(&[]).median(), of(&[]).spread()), (None, None));
    }

    #[test]
    fn a_failure_leaves_no_figure() {
        let mut samples = of(&[1.0, 2.0]);
        samples.failure = Some(Failure::TimedOut(3));
        assert_eq!(samples.median(), None);
    }
}
