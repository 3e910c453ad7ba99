//! Finds why tasks wait: promises at the end of chains of waiting, and cycles, which have no end.

use super::snapshot::{PromiseSource, Snapshot};

/// Maximum number of causes whose waiting tasks are counted.
const COUNTED: usize = 16;

/// Why tasks wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// Tasks that wait for each other: each waits for the datum beside it, which the next task is to publish.
    pub(super) cycles: Vec<Vec<CycleStep>>,
    /// Awaited promises whose publisher does not itself wait; those that block most tasks come first.
    pub(super) causes: Vec<Cause>,
}

/// A task of a cycle and the datum that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CycleStep {
    pub(super) task: usize,
    pub(super) datum: usize,
}

/// A promise at the end of a chain of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cause {
    pub(super) datum: usize,
    /// Number of tasks that wait indirectly: for outputs of those that wait for the datum; `None`: not counted.
    pub(super) behind: Option<usize>,
}

pub(super) fn find(snapshot: &Snapshot) -> Findings {
    let waits = |task: usize| !snapshot.tasks[task].missing.is_empty();
    let ends = |datum: usize| {
        let datum = &snapshot.data[datum];
        let wanted = !datum.waiters.is_empty() || datum.sleepers > 0;
        wanted && !matches!(datum.source, PromiseSource::Task(task) if waits(task))
    };
    let mut ends: Vec<usize> = (0..snapshot.data.len()).filter(|&datum| ends(datum)).collect();
    ends.sort_by_key(|&datum| (std::cmp::Reverse(snapshot.data[datum].waiters.len()), snapshot.data[datum].id));
    let cause =
        |(turn, datum): (usize, usize)| Cause { datum, behind: (turn < COUNTED).then(|| behind(snapshot, datum)) };
    let mut causes: Vec<Cause> = ends.into_iter().enumerate().map(cause).collect();
    causes.sort_by_key(|cause| {
        let datum = &snapshot.data[cause.datum];
        (std::cmp::Reverse(datum.waiters.len() + cause.behind.unwrap_or(0)), datum.id)
    });
    let components = Components::of(snapshot);
    let cycles = components.circular().into_iter().map(|first| cycle(snapshot, &components, first)).collect();
    Findings { cycles, causes }
}

/// The number of tasks that wait for a datum only through other tasks.
fn behind(snapshot: &Snapshot, datum: usize) -> usize {
    let mut seen = vec![false; snapshot.tasks.len()];
    let direct = &snapshot.data[datum].waiters;
    for &task in direct {
        seen[task] = true;
    }
    let mut open = direct.clone();
    let mut count = 0;
    while let Some(task) = open.pop() {
        for &output in &snapshot.tasks[task].outputs {
            for &next in &snapshot.data[output].waiters {
                if !std::mem::replace(&mut seen[next], true) {
                    count += 1;
                    open.push(next);
                }
            }
        }
    }
    count
}

/// For each promise that a task waits for: the promise and the task that is to publish it.
fn steps(snapshot: &Snapshot, task: usize) -> impl Iterator<Item = (usize, usize)> {
    snapshot.tasks[task].missing.iter().filter_map(|&datum| match snapshot.data[datum].source {
        PromiseSource::Task(publisher) => Some((datum, publisher)),
        _ => None,
    })
}

/// A shortest path from a task back to itself.
fn cycle(snapshot: &Snapshot, components: &Components, first: usize) -> Vec<CycleStep> {
    let mut came: Vec<Option<CycleStep>> = vec![None; snapshot.tasks.len()];
    let mut open = std::collections::VecDeque::from([first]);
    while let Some(task) = open.pop_front() {
        for (datum, publisher) in steps(snapshot, task) {
            if components.of[publisher] != components.of[first] || came[publisher].is_some() {
                continue;
            }
            came[publisher] = Some(CycleStep { task, datum });
            if publisher == first {
                return back(&came, first);
            }
            open.push_back(publisher);
        }
    }
    unreachable!("a circular component has a way from each of its tasks back to it")
}

/// Follows a path back from its end.
fn back(came: &[Option<CycleStep>], first: usize) -> Vec<CycleStep> {
    let mut way = Vec::new();
    let mut at = first;
    loop {
        let step = came[at].expect("the way was walked");
        way.push(step);
        at = step.task;
        if at == first {
            way.reverse();
            return way;
        }
    }
}

/// Strongly connected components (Tarjan, 1972), without recursion: groups of tasks that all wait for each other.
struct Components {
    /// The component of each task.
    of: Vec<usize>,
    /// One task of each component, and the component's size.
    sizes: Vec<(usize, usize)>,
}

impl Components {
    fn of(snapshot: &Snapshot) -> Components {
        const UNSEEN: usize = usize::MAX;
        let count = snapshot.tasks.len();
        let mut found = Components { of: vec![UNSEEN; count], sizes: Vec::new() };
        let (mut order, mut low) = (vec![UNSEEN; count], vec![UNSEEN; count]);
        let (mut stack, mut next) = (Vec::new(), 0);
        for root in 0..count {
            if order[root] != UNSEEN {
                continue;
            }
            let mut calls = vec![(root, steps(snapshot, root).collect::<Vec<_>>())];
            (order[root], low[root]) = (next, next);
            next += 1;
            stack.push(root);
            while let Some((task, rest)) = calls.last_mut() {
                let task = *task;
                if let Some((_, to)) = rest.pop() {
                    if order[to] == UNSEEN {
                        (order[to], low[to]) = (next, next);
                        next += 1;
                        stack.push(to);
                        calls.push((to, steps(snapshot, to).collect()));
                    } else if found.of[to] == UNSEEN {
                        low[task] = low[task].min(order[to]);
                    }
                    continue;
                }
                calls.pop();
                if let Some((above, _)) = calls.last() {
                    low[*above] = low[*above].min(low[task]);
                }
                if low[task] == order[task] {
                    found.close(&mut stack, task);
                }
            }
        }
        found
    }

    /// Pops a complete component from the stack.
    fn close(&mut self, stack: &mut Vec<usize>, root: usize) {
        let start = stack.iter().rposition(|&task| task == root).expect("the root is on the stack");
        let members = stack.split_off(start);
        let least = members.iter().copied().min().unwrap_or(root);
        for &task in &members {
            self.of[task] = self.sizes.len();
        }
        self.sizes.push((least, members.len()));
    }

    /// One task of each component that is a cycle. No task waits for itself: scheduling refuses that.
    fn circular(&self) -> Vec<usize> {
        let mut tasks: Vec<usize> = self.sizes.iter().filter(|(_, size)| *size > 1).map(|&(task, _)| task).collect();
        tasks.sort_unstable();
        tasks
    }
}
