//! The sequential model: the outcome of a program in any order of its tasks.
//!
//! The model runs each task as soon as its inputs are settled. The run-time may be later: whether an earlier task has ended,
//! and whether a task's child is scheduled, is uncertain until the next wait. Statements whose outcome depends on that are void.

use std::collections::HashMap;

use super::program::{Name, Task, mix};

/// The state of a datum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Unsettled,
    Number(u64),
    Poisoned,
}

#[derive(Clone, Debug)]
pub struct Datum {
    pub value: Value,
    /// References of the program, apart from those put aside for children.
    pub available: u32,
    /// References of tasks that wait.
    taken: u32,
    produced: bool,
    pub predecessor: Option<Name>,
    /// True from when something was put aside for a child until the next wait.
    pub uncertain: bool,
    /// Held addresses.
    pub held: u32,
}

/// The required outcome of a statement that is not void.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Success,
    /// Any of the codes for references, ids and states.
    Refusal,
}

#[derive(Default)]
pub struct Model {
    pub data: HashMap<Name, Datum>,
    waiting: Vec<Task>,
    /// Tasks that failed since the last wait.
    pub failures: u64,
    /// Tasks that tasks have scheduled on data of their own.
    pub leaves: u64,
    /// All tasks that failed.
    pub failed: u64,
    pub cancelled: u64,
    pub ran: u64,
}

impl Model {
    pub fn make(&mut self, name: Name, value: Value, predecessor: Option<Name>) {
        let datum = Datum { value, available: 1, taken: 0, produced: false, predecessor, uncertain: false, held: 0 };
        self.data.insert(name, datum);
    }

    pub fn get(&self, name: Name) -> Option<&Datum> {
        self.data.get(&name)
    }

    /// True when no task waits: then wait returns.
    pub fn at_rest(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// After a wait nothing is uncertain.
    pub fn settle(&mut self) {
        self.data.values_mut().for_each(|datum| datum.uncertain = false);
        self.failures = 0;
    }

    /// Adds a reference. Void when the program has none: a task of the past may or may not have ended.
    pub fn acquire(&mut self, name: Name) -> Option<Expected> {
        let datum = self.data.get_mut(&name).filter(|datum| datum.available > 0)?;
        datum.available += 1;
        Some(Expected::Success)
    }

    pub fn relax(&mut self, name: Name) -> Option<Expected> {
        let datum = self.data.get_mut(&name)?;
        if datum.available > 0 {
            datum.available -= 1;
            return Some(Expected::Success);
        }
        (!datum.uncertain).then_some(Expected::Refusal)
    }

    /// Writes and publishes a promise, or publishes it as it is.
    pub fn publish(&mut self, name: Name, value: Option<u64>) -> Option<Expected> {
        let datum = self.data.get_mut(&name).filter(|datum| !datum.uncertain)?;
        let alive = datum.available + datum.taken > 0;
        if !alive || datum.value != Value::Unsettled || datum.produced || datum.predecessor.is_some() {
            return Some(Expected::Refusal);
        }
        datum.value = Value::Number(value.unwrap_or(0));
        self.run();
        Some(Expected::Success)
    }

    /// Schedules a task; on success its child's references are put aside.
    pub fn schedule(&mut self, task: &Task) -> Option<Expected> {
        let names = || task.inputs.iter().chain(&task.outputs);
        if names().any(|name| !self.data.contains_key(name)) {
            return None;
        }
        let mut needed = HashMap::new();
        task.inputs.iter().for_each(|&name| *needed.entry(name).or_insert(0) += 1);
        let short = |name: Name| self.data[&name].available < needed[&name];
        let wrong_output = |place: usize| {
            let name = task.outputs[place];
            let datum = &self.data[&name];
            datum.value != Value::Unsettled
                || datum.produced
                || datum.available + datum.taken == 0
                || task.outputs[..place].contains(&name)
                || task.inputs.contains(&name)
                || datum.predecessor.is_some_and(|predecessor| !task.inputs.contains(&predecessor))
        };
        if task.outputs.iter().any(|name| self.data[name].uncertain) {
            return None;
        }
        if task.inputs.iter().any(|&name| short(name) && self.data[&name].uncertain) {
            return None;
        }
        if task.inputs.iter().any(|&name| short(name)) || (0..task.outputs.len()).any(wrong_output) {
            return Some(Expected::Refusal);
        }
        if task.juggles {
            task.inputs.iter().for_each(|name| self.data.get_mut(name).unwrap().uncertain = true);
        }
        self.admit(task.clone());
        self.run();
        Some(Expected::Success)
    }

    fn admit(&mut self, task: Task) {
        for name in &task.inputs {
            let datum = self.data.get_mut(name).unwrap();
            datum.available -= 1;
            datum.taken += 1;
        }
        for name in &task.outputs {
            self.data.get_mut(name).unwrap().produced = true;
        }
        self.waiting.push(task);
    }

    /// Puts a reference of everything that a child needs aside; false, and nothing done, when that cannot be.
    pub fn put_aside(&mut self, child: &Task, parent: &Task) -> bool {
        let mut needed: HashMap<Name, u32> = HashMap::new();
        child.inputs.iter().for_each(|&name| *needed.entry(name).or_default() += 1);
        let fits = needed.keys().chain(&child.outputs).all(|name| self.data.get(name).is_some_and(|d| d.available > 0))
            && child.outputs.iter().enumerate().all(|(place, name)| {
                let datum = &self.data[name];
                datum.value == Value::Unsettled
                    && !datum.produced
                    && !datum.uncertain
                    && datum.predecessor.is_none()
                    && !child.outputs[..place].contains(name)
                    && !child.inputs.contains(name)
                    && !parent.outputs.contains(name)
                    && !parent.inputs.contains(name)
            });
        if fits {
            for name in child.inputs.iter().chain(&child.outputs) {
                self.data.get_mut(name).unwrap().uncertain = true;
            }
            for name in &child.outputs {
                self.data.get_mut(name).unwrap().produced = true;
            }
        }
        fits
    }

    /// Gives back what was put aside for a child: its parent was refused or cancelled.
    pub fn give_back(&mut self, child: &Task) {
        for name in child.inputs.iter().chain(&child.outputs) {
            self.data.get_mut(name).unwrap().available += 1;
        }
        for name in &child.outputs {
            self.data.get_mut(name).unwrap().produced = false;
        }
        if let Some(grandchild) = &child.child {
            self.give_back(grandchild);
        }
    }

    /// Runs all tasks whose inputs are settled, until there are none.
    fn run(&mut self) {
        let settled =
            |model: &Model, task: &Task| task.inputs.iter().all(|name| model.data[name].value != Value::Unsettled);
        while let Some(place) = (0..self.waiting.len()).find(|&place| settled(self, &self.waiting[place])) {
            let task = self.waiting.remove(place);
            self.execute(&task);
        }
    }

    fn execute(&mut self, task: &Task) {
        let values: Vec<Value> = task.inputs.iter().map(|name| self.data[name].value).collect();
        let numbers: Option<Vec<u64>> =
            values.iter().map(|value| if let Value::Number(n) = value { Some(*n) } else { None }).collect();
        if let Some(numbers) = numbers {
            self.ran += 1;
            self.leaves += task.leaves as u64;
            let sum = numbers.iter().fold(task.salt, |sum, &number| mix(sum, number));
            for (place, &name) in task.outputs.iter().enumerate() {
                let begins = self.data[&name].predecessor.map_or(0, |before| match self.data[&before].value {
                    Value::Number(number) => number,
                    _ => unreachable!("the task has read it"),
                });
                let number = Value::Number(mix(sum.wrapping_add(place as u64), begins));
                let value = if task.code == 0 || task.early { number } else { Value::Poisoned };
                self.data.get_mut(&name).unwrap().value = value;
            }
            self.failures += u64::from(task.code != 0);
            self.failed += u64::from(task.code != 0);
            if let Some(child) = &task.child {
                // Uses the references that were put aside.
                for name in &child.inputs {
                    self.data.get_mut(name).unwrap().available += 1;
                }
                self.admit((**child).clone());
            }
        } else {
            self.cancelled += 1;
            task.outputs.iter().for_each(|name| self.data.get_mut(name).unwrap().value = Value::Poisoned);
            if let Some(child) = &task.child {
                self.give_back(child);
            }
        }
        for name in &task.inputs {
            self.data.get_mut(name).unwrap().taken -= 1;
        }
        for name in &task.outputs {
            self.data.get_mut(name).unwrap().produced = false;
        }
    }
}
