//! What is measured: one entry for each line of work, with its sizes and goals.

/// The stencil's width; bench/peers/common/work.h has the same.
const WIDTH: u64 = 64;

/// How many workers a work for too many workers has on each PU.
const WORKERS_PER_PU: usize = 4;

/// What the number of a work means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Wall time over the number of tasks, in ns.
    PerTask,
    /// Wall time over the number of hops from worker to worker, in ns, with several workers on each PU.
    PerHop,
    /// METG(50 %), in ns.
    Granularity,
    /// Peak memory, in MiB.
    Memory,
}

impl Measure {
    /// The unit, for headings.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::PerTask => "ns per task",
            Measure::PerHop => "ns per hop",
            Measure::Granularity => "ns, METG(50 %)",
            Measure::Memory => "MiB",
        }
    }
}

/// One line of work.
pub struct Work {
    /// How `--only` and the reports call it.
    pub key: &'static str,
    /// In words; `{}` is replaced by the size.
    pub title: &'static str,
    /// What is measured.
    pub measure: Measure,
    /// SIZE of the programs: tasks, levels or steps.
    pub size: u64,
    /// The same for a short run.
    pub quick: u64,
    /// Goals for 1 and for 2 workers.
    pub goals: [Option<f64>; 2],
}

impl Work {
    /// The goal for a number of workers.
    pub fn goal(&self, workers: usize) -> Option<f64> {
        if self.measure == Measure::PerHop {
            return self.goals[1]; // it has one number of workers
        }
        self.goals.get(workers.checked_sub(1)?).copied().flatten()
    }

    /// The size of a run.
    pub fn size(&self, quick: bool) -> u64 {
        if quick { self.quick } else { self.size }
    }

    /// The title with the size in it.
    pub fn title(&self, quick: bool) -> String {
        let size = self.size(quick);
        let shown = if self.key == "d" || self.key == "e" { format!("{WIDTH} x {size}") } else { size.to_string() };
        self.title.replace("{}", &shown)
    }

    /// The numbers of workers, of those asked for, that this work is run with.
    pub fn workers(&self, asked: &[usize]) -> Vec<usize> {
        match self.measure {
            Measure::PerTask => asked.to_vec(),
            Measure::PerHop => asked.iter().max().map(|most| most * WORKERS_PER_PU).into_iter().collect(),
            Measure::Granularity | Measure::Memory => asked.iter().copied().max().into_iter().collect(),
        }
    }
}

const fn tasks(key: &'static str, title: &'static str, sizes: [u64; 2], goals: [f64; 2]) -> Work {
    let [size, quick] = sizes;
    Work { key, title, measure: Measure::PerTask, size, quick, goals: [Some(goals[0]), Some(goals[1])] }
}

const fn metg(key: &'static str, title: &'static str, goal: f64) -> Work {
    Work { key, title, measure: Measure::Granularity, size: 500, quick: 20, goals: [None, Some(goal)] }
}

/// A case of bench/dvm/cliffs.c, for each of its units.
const fn cliff(key: &'static str, title: &'static str, sizes: [u64; 2], goals: [Option<f64>; 2]) -> Work {
    let [size, quick] = sizes;
    Work { key, title, measure: Measure::PerTask, size, quick, goals }
}

/// All works, in the order of the report.
pub const WORKS: &[Work] = &[
    tasks("a", "{} independent empty tasks, one of 1,024 data each, one submitter", [1_000_000, 20_000], [80.0, 80.0]),
    tasks("b", "chain of {} tasks that update one datum in turn", [1_000_000, 20_000], [50.0, 50.0]),
    tasks("c", "binary spawn tree, 2^{} leaves, tasks without data", [20, 12], [20.0, 20.0]),
    tasks("c-datum", "binary spawn tree, 2^{} leaves, one datum per task", [20, 12], [40.0, 40.0]),
    tasks("d", "stencil {}: three data read, one written, one submitter", [10_000, 200], [120.0, 110.0]),
    tasks("e", "stencil {} described beforehand: parameterised or prebuilt graph, loops", [10_000, 200], [40.0, 40.0]),
    cliff("entry", "{} loops of eight empty tiles: the entry into a region", [200_000, 2_000], [None, Some(2000.0)]),
    Work {
        key: "hop",
        title: "{} hops: a task schedules the next one on the next worker, four workers per PU",
        measure: Measure::PerHop,
        size: 200_000,
        quick: 4_000,
        goals: [None, Some(5000.0)],
    },
    metg("metg-stencil_1d", "METG, 32 points x {} steps, stencil_1d: three inputs", 600.0),
    metg("metg-nearest", "METG, 32 points x {} steps, nearest: five inputs", 600.0),
    metg("metg-fft", "METG, 32 points x {} steps, fft: three inputs, strides 1 to 16", 800.0),
    metg("metg-no_comm", "METG, 32 points x {} steps, no_comm: one input", 350.0),
    Work {
        key: "memory",
        title: "peak memory of a process with {} tasks that wait for 1,024 data",
        measure: Measure::Memory,
        size: 1_000_000,
        quick: 20_000,
        goals: [None, Some(100.0)],
    },
    cliff("gets", "gets of each of {} inputs of one task", [64_000, 2_000], [Some(156.0), Some(156.0)]),
    cliff("sections", "{} tasks leave blocking sections at once", [2_000, 50], [None, Some(100_000.0)]),
    cliff(
        "sleepers",
        "CPU of a publication, one of {}, while 2,000 threads sleep on other data",
        [200, 5],
        [None, Some(100_000.0)],
    ),
    cliff("near-16", "{} tasks near 16 data on 16 of 256 workers", [20_000, 200], [None, Some(2000.0)]),
    cliff("near-1k", "{} tasks near a datum each, 1,024 workers", [20_000, 200], [None, Some(2000.0)]),
    cliff("near-4k", "{} tasks near a datum each, 4,096 workers", [20_000, 200], [None, Some(2000.0)]),
    cliff("arguments-4", "{} tasks with 4 arguments", [200_000, 2_000], [None, None]),
    cliff("arguments-5", "{} tasks with 5 arguments", [200_000, 2_000], [Some(125.0), Some(125.0)]),
    cliff("arguments-64", "{} tasks with 64 arguments", [50_000, 1_000], [Some(600.0), Some(600.0)]),
    cliff("remote", "{} data of 4 to 64 KiB, made by one worker and freed by another", [100_000, 1_000], [None, None]),
    cliff("wait-1", "a task and a wait, {} times", [100_000, 1_000], [Some(2300.0), Some(2300.0)]),
    cliff("wait-64", "64 tasks and a wait, {} times", [20_000, 200], [None, None]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_short_runs_are_short() {
        for (index, work) in WORKS.iter().enumerate() {
            assert!(WORKS[..index].iter().all(|other| other.key != work.key), "{}", work.key);
            assert!(work.quick < work.size, "{}", work.key);
            assert!(work.title.contains("{}"), "{}", work.key);
        }
    }

    #[test]
    fn metg_is_run_on_all_workers_only() {
        assert_eq!(WORKS.iter().find(|work| work.key == "metg-fft").unwrap().workers(&[1, 4, 2]), [4]);
        assert_eq!(WORKS[0].workers(&[1, 2]), [1, 2]);
        let hop = WORKS.iter().find(|work| work.key == "hop").unwrap();
        assert_eq!((hop.workers(&[1, 2]), hop.goal(8)), (vec![8], Some(5000.0)));
        assert_eq!((WORKS[0].goal(2), WORKS[0].goal(3), WORKS[0].goal(0)), (Some(80.0), None, None));
    }
}
