//! Runs a program on libdvm and on the model at the same time, and compares.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

use super::model::{Expected, Model, Value};
use super::program::{Action, Name, Program, Statement, Task, mix};
use super::support::{self, Code, IN, Id, OUT};

/// A task as its callback finds it: with the ids of its data.
struct Bound {
    task: Task,
    inputs: Vec<Id>,
    outputs: Vec<Id>,
    child: Option<Arc<Bound>>,
}

/// The tasks of the running program; a task's first input holds its index.
static TASKS: RwLock<Vec<Arc<Bound>>> = RwLock::new(Vec::new());
static LEAVES: AtomicU64 = AtomicU64::new(0);
static FREED: AtomicU64 = AtomicU64::new(0);
/// The indices of the tasks of the running program, as they began.
static ORDER: RwLock<Vec<u64>> = RwLock::new(Vec::new());

/// Memory given up by its datum: marks that it was, and leaves it to the program, which may look.
unsafe extern "C" fn free(addr: *mut c_void, size: usize) {
    assert_eq!(size, 8);
    drop(unsafe { Box::from_raw(addr.cast::<u64>()) });
    FREED.fetch_add(1, Ordering::SeqCst);
}

/// The processings of one engine.
#[derive(Clone)]
struct Processings {
    /// By numbers of inputs and outputs.
    shapes: Arc<HashMap<(usize, usize), Id>>,
    ranks: Vec<support::Rank>,
}

static PROCESSINGS: RwLock<Option<Processings>> = RwLock::new(None);

fn most_shapes() -> impl Iterator<Item = (usize, usize)> {
    (0..4).flat_map(|inputs| (0..3).map(move |outputs| (inputs, outputs)))
}

impl Processings {
    fn register() -> Processings {
        let leaf = support::processing(&[IN], c"leaf", |_| {
            LEAVES.fetch_add(1, Ordering::SeqCst);
            0
        });
        let shape = |(inputs, outputs): (usize, usize)| {
            let modes: Vec<c_int> =
                std::iter::repeat_n(IN, inputs + 1).chain(std::iter::repeat_n(OUT, outputs)).collect();
            let body = move |ids: &[Id]| {
                perform(ids, inputs, leaf).unwrap_or_else(|message| {
                    eprintln!("in a task: {message}");
                    -1000
                })
            };
            ((inputs, outputs), support::processing(&modes, c"random", body))
        };
        let ranks = (0..support::count()).map(support::rank_at).collect();
        Processings { shapes: Arc::new(most_shapes().map(shape).collect()), ranks }
    }

    fn schedule(&self, bound: Arc<Bound>) -> support::Outcome {
        let function = self.shapes[&(bound.inputs.len(), bound.outputs.len())];
        let mut tasks = TASKS.write();
        let spec = support::number(tasks.len() as u64);
        let ids: Vec<Id> = [spec].iter().chain(&bound.inputs).chain(&bound.outputs).copied().collect();
        let place = bound.task.place;
        tasks.push(bound);
        drop(tasks);
        let result = match place {
            Some(place) => support::onto(self.ranks[place % self.ranks.len()], function, &ids),
            None => support::near(function, &ids),
        };
        if result.is_err() {
            support::relax(spec).unwrap();
        }
        result
    }
}

/// The message of a call in a task that failed.
fn tell(what: &str) -> impl Fn(Code) -> String + '_ {
    move |code| format!("{what}: {code:?}, {}", support::last_error())
}

/// What a task's callback does.
fn perform(ids: &[Id], inputs: usize, leaf: Id) -> Result<c_int, String> {
    let index = support::value(ids[0]).map_err(tell("its index"))?;
    ORDER.write().push(index);
    let bound = TASKS.read()[index as usize].clone();
    let (inputs, outputs) = ids[1..].split_at(inputs);
    if inputs != bound.inputs || outputs != bound.outputs {
        return Err(format!("called with {ids:?}, scheduled with {:?} and {:?}", bound.inputs, bound.outputs));
    }
    let task = &bound.task;
    let mut sum = task.salt;
    for &input in inputs {
        sum = mix(sum, unsafe { *support::get(input).map_err(tell("an input"))?.0 });
        if task.puts {
            support::put(input).map_err(tell("put"))?;
        }
        if task.juggles {
            match support::acquire(input) {
                Ok(()) => support::relax(input).map_err(tell("relax"))?,
                Err(Code::DVM_ERR_STATE) => {}
                Err(code) => return Err(tell("acquire")(code)),
            }
        }
    }
    for _ in 0..task.leaves {
        support::near(leaf, &[support::number(1)]).map_err(tell("a leaf"))?;
    }
    if let Some(child) = &bound.child {
        let processings = PROCESSINGS.read().clone().unwrap();
        processings.schedule(child.clone()).map_err(tell("a child"))?;
        for &output in &child.outputs {
            support::relax(output).map_err(tell("a child's output"))?;
        }
    }
    for (place, &output) in outputs.iter().enumerate() {
        let address = support::get(output).map_err(tell("an output"))?.0;
        unsafe { *address = mix(sum.wrapping_add(place as u64), *address) };
        if task.puts {
            support::put(output).map_err(tell("put of an output"))?;
        }
        if task.early {
            support::publish(output).map_err(tell("publish"))?;
        }
    }
    Ok(task.code)
}

/// A running engine and its counts.
pub struct Stage {
    running: bool,
    programs: u64,
    ran: u64,
    cancelled: u64,
    failed: u64,
    stuck: u64,
    refused: u64,
}

/// Programs that share an engine.
const PROGRAMS_PER_ENGINE: u64 = 200;

impl Stage {
    pub fn new() -> Stage {
        Stage { running: false, programs: 0, ran: 0, cancelled: 0, failed: 0, stuck: 0, refused: 0 }
    }

    pub fn tally(&self) -> String {
        format!(
            "{} programs: {} tasks ran, {} were cancelled, {} failed, {} never became ready; {} calls were refused",
            self.programs, self.ran, self.cancelled, self.failed, self.stuck, self.refused
        )
    }

    /// The order in which the tasks of the last program began.
    pub fn order() -> Vec<u64> {
        ORDER.read().clone()
    }

    fn ensure_running(&mut self) {
        if !self.running {
            support::init().unwrap();
            *PROCESSINGS.write() = Some(Processings::register());
            self.running = true;
        }
    }

    /// Runs a program; tells what differs from the model.
    pub fn run(&mut self, program: &Program) -> Result<(), String> {
        self.ensure_running();
        TASKS.write().clear();
        ORDER.write().clear();
        LEAVES.store(0, Ordering::SeqCst);
        FREED.store(0, Ordering::SeqCst);
        let processings = PROCESSINGS.read().clone().unwrap();
        let mut run = Run {
            model: Model::default(),
            ids: HashMap::new(),
            held: Vec::new(),
            registered: 0,
            refused: 0,
            processings,
        };
        for statement in &program.statements {
            run.perform(statement).map_err(|message| format!("d{}: {message}", statement.name))?;
        }
        let ended = run.end(program.ends_abruptly)?;
        self.running = !ended;
        self.programs += 1;
        self.ran += run.model.ran;
        self.cancelled += run.model.cancelled;
        self.refused += run.refused;
        self.stuck += run.model.waiting() as u64;
        self.failed += run.model.failed;
        if self.running && self.programs.is_multiple_of(PROGRAMS_PER_ENGINE) {
            self.running = false;
            support::finalize()
                .map_err(|code| format!("finalize with nothing left: {code:?}, {}", support::last_error()))?;
        }
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if self.running {
            let _ = support::finalize();
        }
    }
}

struct Run {
    model: Model,
    ids: HashMap<Name, Id>,
    held: Vec<(Name, *mut u64, u64)>,
    registered: u64,
    refused: u64,
    processings: Processings,
}

/// Compares a call's outcome with what the model expects.
fn compare(outcome: support::Outcome, expected: Expected) -> Result<(), String> {
    match (outcome, expected) {
        (Ok(()), Expected::Success)
        | (
            Err(Code::DVM_ERR_ID | Code::DVM_ERR_NO_REFERENCE | Code::DVM_ERR_STATE | Code::DVM_ERR_POISONED),
            Expected::Refusal,
        ) => Ok(()),
        (outcome, expected) => Err(format!("{outcome:?} instead of {expected:?}: {}", support::last_error())),
    }
}

impl Run {
    fn perform(&mut self, statement: &Statement) -> Result<(), String> {
        let name = statement.name;
        match &statement.action {
            Action::Allocate(number) => {
                self.ids.insert(name, support::number(*number));
                self.model.make(name, Value::Number(*number), None);
            }
            Action::Register(number) => {
                let memory = Box::into_raw(Box::new(*number)).cast();
                self.ids.insert(name, support::register(memory, 8, Some(free)).unwrap());
                self.registered += 1;
                self.model.make(name, Value::Number(*number), None);
            }
            Action::Promise => {
                self.ids.insert(name, support::promise(8).unwrap());
                self.model.make(name, Value::Unsettled, None);
            }
            Action::Next(of) => {
                if self.model.get(*of).is_some_and(|datum| datum.available > 0) {
                    let id = support::next(self.ids[of]).map_err(|code| format!("next: {code:?}"))?;
                    self.ids.insert(name, id);
                    self.model.make(name, Value::Unsettled, Some(*of));
                }
            }
            Action::Acquire(of) => {
                if let Some(expected) = self.model.acquire(*of) {
                    compare(support::acquire(self.ids[of]), expected)?;
                }
            }
            Action::Relax(of) => {
                if let Some(expected) = self.model.relax(*of) {
                    self.refused += u64::from(expected == Expected::Refusal);
                    compare(support::relax(self.ids[of]), expected)?;
                }
            }
            Action::Write(of, number) => self.write(*of, *number)?,
            Action::Publish(of) => {
                if let Some(expected) = self.model.publish(*of, None) {
                    self.refused += u64::from(expected == Expected::Refusal);
                    compare(support::publish(self.ids[of]), expected)?;
                }
            }
            Action::Read(of) => self.read(*of)?,
            Action::Hold(of) => self.hold(*of)?,
            Action::Release(of) => self.release(|name| name == *of)?,
            Action::Schedule(task) => self.schedule(task)?,
            Action::Wait => self.wait()?,
            Action::Lie(of) => {
                if let Some(datum) = self.model.data.get_mut(of) {
                    datum.value = Value::Number(99);
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, name: Name, number: u64) -> Result<(), String> {
        let Some(expected) = self.model.publish(name, Some(number)) else { return Ok(()) };
        let id = self.ids[&name];
        let written = support::write(id).map(|(address, _)| unsafe { *address = number });
        self.refused += u64::from(expected == Expected::Refusal);
        compare(written, expected)?;
        if expected == Expected::Success { compare(support::publish(id), expected) } else { Ok(()) }
    }

    /// Waits for a datum's value, if the model knows that it will have one.
    fn read(&self, name: Name) -> Result<(), String> {
        let Some(datum) = self.model.get(name).filter(|datum| datum.available > 0) else { return Ok(()) };
        if datum.value == Value::Unsettled {
            return Ok(());
        }
        let got = support::value(self.ids[&name]);
        match datum.value {
            Value::Number(number) if got == Ok(number) => {}
            Value::Poisoned if got == Err(Code::DVM_ERR_POISONED) => {}
            expected => return Err(format!("{got:x?} instead of {expected:x?}")),
        }
        Ok(())
    }

    fn hold(&mut self, name: Name) -> Result<(), String> {
        let Some(datum) = self.model.data.get_mut(&name).filter(|datum| datum.available > 0) else { return Ok(()) };
        let Value::Number(number) = datum.value else { return Ok(()) };
        let address = support::get(self.ids[&name]).map_err(|code| format!("get: {code:?}"))?.0;
        datum.held += 1;
        self.held.push((name, address, number));
        Ok(())
    }

    /// Puts a held datum, which must be unchanged, whatever happened to its references.
    fn release(&mut self, which: impl Fn(Name) -> bool) -> Result<(), String> {
        let (released, held): (Vec<_>, Vec<_>) = self.held.drain(..).partition(|&(name, ..)| which(name));
        self.held = held;
        for (name, address, number) in released {
            let now = unsafe { *address };
            if now != number {
                return Err(format!("d{name} was {number:x} when it was got and is {now:x}"));
            }
            support::put(self.ids[&name]).map_err(|code| format!("put: {code:?}"))?;
            self.model.data.get_mut(&name).unwrap().held -= 1;
        }
        Ok(())
    }

    fn schedule(&mut self, task: &Task) -> Result<(), String> {
        let mut task = task.clone();
        self.put_children_aside(&mut task)?;
        let child = task.child.clone();
        let Some(expected) = self.model.schedule(&task) else {
            return child.map_or(Ok(()), |child| self.take_back(&child, true));
        };
        self.refused += u64::from(expected == Expected::Refusal);
        let bound = self.bind(&task);
        compare(self.processings.schedule(bound), expected)?;
        match child {
            Some(child) if expected == Expected::Refusal => self.take_back(&child, true),
            _ => Ok(()),
        }
    }

    /// Acquires the data of a task's children; drops children whose data cannot be acquired.
    fn put_children_aside(&mut self, task: &mut Task) -> Result<(), String> {
        let Some(mut child) = task.child.take() else { return Ok(()) };
        let parent = task.clone();
        if !self.model.put_aside(&child, &parent) {
            return Ok(());
        }
        for name in child.inputs.iter().chain(&child.outputs) {
            compare(support::acquire(self.ids[name]), Expected::Success)?;
        }
        self.put_children_aside(&mut child)?;
        task.child = Some(child);
        Ok(())
    }

    /// Releases the references for the children of a refused task.
    fn take_back(&mut self, child: &Task, in_model: bool) -> Result<(), String> {
        if in_model {
            self.model.give_back(child);
        }
        for name in child.inputs.iter().chain(&child.outputs) {
            let expected = self.model.relax(*name).unwrap();
            compare(support::relax(self.ids[name]), expected)?;
        }
        child.child.as_ref().map_or(Ok(()), |grandchild| self.take_back(grandchild, false))
    }

    fn bind(&self, task: &Task) -> Arc<Bound> {
        let ids = |names: &[Name]| names.iter().map(|name| self.ids.get(name).copied().unwrap_or([0; 2])).collect();
        Arc::new(Bound {
            inputs: ids(&task.inputs),
            outputs: ids(&task.outputs),
            child: task.child.as_ref().map(|child| self.bind(child)),
            task: task.clone(),
        })
    }

    /// Waits, if that returns, and compares everything.
    fn wait(&mut self) -> Result<(), String> {
        if !self.model.at_rest() {
            return Ok(());
        }
        let expected = if self.model.failures > 0 { Err(Code::DVM_ERR_TASK) } else { Ok(()) };
        let code = support::wait();
        if code != expected {
            return Err(format!("wait: {code:?} instead of {expected:?}: {}", support::last_error()));
        }
        let leaves = LEAVES.load(Ordering::SeqCst);
        if leaves != self.model.leaves {
            return Err(format!("{leaves} leaves ran instead of {}", self.model.leaves));
        }
        self.model.settle();
        for (&name, datum) in &self.model.data {
            if datum.available > 0 {
                if datum.value != Value::Unsettled {
                    self.read(name).map_err(|message| format!("after wait, d{name}: {message}"))?;
                }
            } else if support::acquire(self.ids[&name]) != Err(Code::DVM_ERR_ID) {
                return Err(format!("after wait, d{name} should be gone"));
            }
        }
        Ok(())
    }

    /// Ends the program; true when that took finalize.
    fn end(&mut self, abruptly: bool) -> Result<bool, String> {
        self.release(|_| true)?;
        if !abruptly {
            let mut promises: Vec<Name> = self.ids.keys().copied().collect();
            promises.sort_unstable(); // in an order that a replay has too
            for name in promises {
                if self
                    .model
                    .get(name)
                    .is_some_and(|datum| datum.value == Value::Unsettled && datum.predecessor.is_none())
                {
                    self.perform(&Statement { name, action: Action::Publish(name) })?;
                }
            }
        }
        let ended = abruptly || !self.model.at_rest();
        if ended {
            let expected = match (self.model.failures, self.model.at_rest()) {
                (0, true) => Ok(()),
                (0, false) => Err(Code::DVM_ERR_STATE),
                _ => Err(Code::DVM_ERR_TASK),
            };
            let code = support::finalize();
            if code != expected {
                return Err(format!("finalize: {code:?} instead of {expected:?}: {}", support::last_error()));
            }
        } else {
            self.wait()?;
            for (&name, datum) in &self.model.data {
                for _ in 0..datum.available {
                    support::relax(self.ids[&name])
                        .map_err(|code| format!("at the end, relax of d{name}: {code:?}"))?;
                }
            }
        }
        let freed = FREED.load(Ordering::SeqCst);
        if freed != self.registered {
            return Err(format!("{freed} free callbacks for {} registered data", self.registered));
        }
        Ok(ended)
    }
}
