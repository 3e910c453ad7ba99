//! Random programs, and what their sequential run comes to.

use crate::id::{DatumId, ProcessId};
use testkit::Random;

/// What a main function or a task does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Schedule(usize),
    Acquire(usize),
    Relax(usize),
}

#[derive(Clone, Debug)]
pub(super) struct TaskSpec {
    /// Main of a process, or a task, that schedules it.
    pub(super) scheduler: Scheduler,
    pub(super) runner: usize,
    pub(super) inputs: Vec<usize>,
    pub(super) outputs: Vec<usize>,
    /// An output that carries on the storage of an input.
    pub(super) next: Option<(usize, usize)>,
    pub(super) fails: bool,
    /// References that its scheduler makes for it right before, by input.
    pub(super) acquires: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheduler {
    Main(usize),
    Task(usize),
}

/// A program, and what is expected of it.
#[derive(Clone, Debug)]
pub(super) struct JobProgram {
    pub(super) processes: usize,
    pub(super) tasks: Vec<TaskSpec>,
    /// The home of each datum, and the task that produces it.
    pub(super) homes: Vec<usize>,
    pub(super) producers: Vec<Option<usize>>,
    pub(super) cache: u64,
    /// Tasks of a lost process are sent again.
    pub(super) recovers: bool,
}

/// A program with what follows from it.
#[derive(Clone, Debug)]
pub(super) struct PreparedProgram {
    pub(super) program: JobProgram,
    /// Per process.
    pub(super) mains: Vec<Vec<Op>>,
    /// Per task.
    pub(super) bodies: Vec<Vec<Op>>,
    /// Per datum: references at the beginning, and the value; none if it is poisoned.
    pub(super) references: Vec<i32>,
    pub(super) values: Vec<Option<u64>>,
    /// Per task: whether it runs in the sequential order.
    pub(super) runs: Vec<bool>,
}

pub(super) fn id(program: &JobProgram, datum: usize) -> DatumId {
    DatumId::from_raw([program.homes[datum] as u64, datum as u64 + 1])
}

pub(super) fn datum(id: DatumId) -> usize {
    id.number() as usize - 1
}

pub(super) fn process(index: usize) -> ProcessId {
    ProcessId::from_index(index as u32)
}

/// The size of a datum: one of the cache's units, or two.
pub(super) fn size(datum: usize) -> u64 {
    [UNIT, UNIT, UNIT, 2 * UNIT][datum % 4]
}

pub(super) const UNIT: u64 = 8;

/// The bytes of a datum with this value.
pub(super) fn bytes(datum: usize, value: u64) -> Vec<u8> {
    value.to_le_bytes().repeat((size(datum) / UNIT) as usize)
}

fn mix(a: u64, b: u64) -> u64 {
    Random::new(a.rotate_left(17) ^ b).number()
}

impl JobProgram {
    pub(super) fn random(random: &mut Random) -> JobProgram {
        let processes = 2 + random.below(4);
        let (tasks, homes, producers) = (Vec::new(), Vec::new(), Vec::new());
        let mut program = JobProgram { processes, tasks, homes, producers, cache: 3 * UNIT, recovers: false };
        for _ in 0..=random.below(5) {
            program.homes.push(random.below(processes));
            program.producers.push(None);
        }
        for task in 0..=random.below(12) {
            let scheduler = if task == 0 || random.one_in(2) {
                Scheduler::Main(random.below(processes))
            } else {
                Scheduler::Task(random.below(task))
            };
            let mut inputs = Vec::new();
            for _ in 0..random.below(4) {
                // Mostly late data: long chains.
                let datum = program.homes.len() - 1 - random.below(program.homes.len().min(6));
                if !inputs.contains(&datum) || random.one_in(8) {
                    inputs.push(datum);
                }
            }
            let mut outputs = Vec::new();
            for _ in 0..random.below(3) {
                outputs.push(program.homes.len());
                program.homes.push(random.below(processes));
                program.producers.push(Some(task));
            }
            let runner = random.below(processes);
            let mut next = None;
            if let (Some(&input), Some(&output)) = (inputs.first(), outputs.first())
                && random.one_in(3)
            {
                program.homes[output] = program.homes[input];
                next = Some((output, input));
            }
            let acquires = inputs.iter().copied().filter(|_| random.one_in(3)).collect();
            let fails = random.one_in(9);
            program.tasks.push(TaskSpec { scheduler, runner, inputs, outputs, next, fails, acquires });
        }
        program
    }

    /// One whose tasks process 0 schedules, which is the home of all data: it comes to its end whoever else is lost.
    pub(super) fn random_recoverable(random: &mut Random) -> JobProgram {
        let mut program = JobProgram::random(random);
        program.recovers = true;
        program.homes.fill(0);
        program.tasks.iter_mut().for_each(|task| task.scheduler = Scheduler::Main(0));
        program
    }

    /// Without this task, and without those that need it.
    pub(super) fn without(&self, dropped: usize) -> JobProgram {
        let mut gone = vec![false; self.tasks.len()];
        for (at, task) in self.tasks.iter().enumerate() {
            let made_by_gone = |datum: &usize| self.producers[*datum].is_some_and(|producer| gone[producer]);
            let unscheduled = matches!(task.scheduler, Scheduler::Task(by) if gone[by]);
            gone[at] = at == dropped || unscheduled || task.inputs.iter().any(made_by_gone);
        }
        let mut number = vec![usize::MAX; self.tasks.len()];
        let mut smaller = JobProgram { tasks: Vec::new(), ..self.clone() };
        for (at, task) in self.tasks.iter().enumerate().filter(|(at, _)| !gone[*at]) {
            number[at] = smaller.tasks.len();
            let mut task = task.clone();
            if let Scheduler::Task(by) = &mut task.scheduler {
                *by = number[*by];
            }
            smaller.tasks.push(task);
        }
        for producer in &mut smaller.producers {
            *producer = producer.map(|by| number[by]).filter(|by| *by != usize::MAX);
        }
        smaller
    }

    /// With a task at home that reads each output which no task reads: whoever drops a promise's last reference must know
    /// that its producer has been scheduled.
    fn complete(&self) -> JobProgram {
        let mut complete = self.clone();
        for (datum, home) in self.homes.iter().enumerate() {
            let read = self.tasks.iter().any(|task| task.inputs.contains(&datum));
            if self.producers[datum].is_some() && !read {
                complete.tasks.push(TaskSpec {
                    scheduler: Scheduler::Main(*home),
                    runner: *home,
                    inputs: vec![datum],
                    outputs: Vec::new(),
                    next: None,
                    fails: false,
                    acquires: Vec::new(),
                });
            }
        }
        complete
    }

    /// The sequential run, and the references that it needs.
    pub(super) fn prepare(&self) -> PreparedProgram {
        self.complete().prepare_complete()
    }

    fn prepare_complete(&self) -> PreparedProgram {
        let mut values: Vec<Option<u64>> = (0..self.homes.len() as u64).map(|datum| Some(mix(datum, 99))).collect();
        let mut runs = Vec::new();
        for (at, task) in self.tasks.iter().enumerate() {
            let run = task.inputs.iter().all(|input| values[*input].is_some());
            let digest = task.inputs.iter().fold(at as u64, |sum, input| mix(sum, values[*input].unwrap_or(0)));
            for output in &task.outputs {
                values[*output] = (run && !task.fails).then(|| mix(digest, *output as u64));
            }
            runs.push(run);
        }
        let mut prepared = PreparedProgram {
            mains: vec![Vec::new(); self.processes],
            bodies: vec![Vec::new(); self.tasks.len()],
            references: vec![0; self.homes.len()],
            values,
            runs,
            program: self.clone(),
        };
        for (at, task) in self.tasks.iter().enumerate() {
            // What a cancelled task would schedule is scheduled by the main of its process.
            let ops = match task.scheduler {
                Scheduler::Main(process) => &mut prepared.mains[process],
                Scheduler::Task(by) if prepared.runs[by] => &mut prepared.bodies[by],
                Scheduler::Task(by) => &mut prepared.mains[self.tasks[by].runner],
            };
            // Who reads a datum makes the reference for its child. Anybody else uses one more, which waits at home, so that
            // the datum lives until then.
            let reads = |datum: &usize| match task.scheduler {
                Scheduler::Task(by) => prepared.runs[by] && self.tasks[by].inputs.contains(datum),
                Scheduler::Main(_) => false,
            };
            // A task that carries a datum on cannot make references of it.
            let carries = |datum: &usize| match task.scheduler {
                Scheduler::Task(by) => self.tasks[by].next.is_some_and(|(_, carried)| carried == *datum),
                Scheduler::Main(_) => false,
            };
            let acquires: Vec<usize> = task.acquires.iter().copied().filter(|datum| !carries(datum)).collect();
            for datum in &acquires {
                ops.push(Op::Acquire(*datum));
                prepared.references[*datum] -= i32::from(reads(datum));
            }
            ops.push(Op::Schedule(at));
            for datum in acquires.iter().filter(|datum| !reads(datum)) {
                ops.push(Op::Relax(*datum));
            }
            for input in &task.inputs {
                prepared.references[*input] += 1;
            }
        }
        for (datum, home) in self.homes.iter().enumerate() {
            if prepared.references[datum] == 0 && self.producers[datum].is_none() {
                prepared.references[datum] = 1;
                prepared.mains[*home].push(Op::Relax(datum));
            }
        }
        prepared
    }
}
