//! Random programs: statements over numbered data.

use std::fmt;

pub use testkit::Random;

/// Mixes two numbers into one.
pub fn mix(a: u64, b: u64) -> u64 {
    testkit::mix(a ^ b.rotate_left(23) ^ 0xd6e8_feb8_6659_fd93)
}

/// A datum, by the statement that makes it.
pub type Name = usize;

/// A task. Names that mean nothing at that point make the statement void.
#[derive(Clone, Debug)]
pub struct Task {
    /// The index of a worker; `None`: near the data.
    pub place: Option<usize>,
    pub inputs: Vec<Name>,
    pub outputs: Vec<Name>,
    pub salt: u64,
    /// What the callback returns.
    pub code: i32,
    /// Publishes its outputs by hand.
    pub early: bool,
    /// Puts what it has got.
    pub puts: bool,
    /// Acquires and relaxes its inputs.
    pub juggles: bool,
    /// Tasks that it schedules on data of its own.
    pub leaves: usize,
    /// A task that it schedules on data of the program.
    pub child: Option<Box<Task>>,
}

#[derive(Clone, Debug)]
pub enum Action {
    Allocate(u64),
    Register(u64),
    Promise,
    Next(Name),
    Acquire(Name),
    Relax(Name),
    /// Writes and publishes a promise.
    Write(Name, u64),
    /// Publishes a promise as it is.
    Publish(Name),
    /// Gets a datum, and compares its value with the model's.
    Read(Name),
    /// Gets a datum and keeps its address.
    Hold(Name),
    /// Puts what was held, and checks that it has not changed.
    Release(Name),
    Schedule(Task),
    Wait,
    /// Claims in the model, and only there, that a datum has another value.
    Lie(Name),
}

/// A statement, under the name that its datum has if it makes one.
#[derive(Clone, Debug)]
pub struct Statement {
    pub name: Name,
    pub action: Action,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub statements: Vec<Statement>,
    /// True when the program ends with finalize, whatever is still waiting.
    pub ends_abruptly: bool,
}

/// What the generator remembers, so that most of its statements mean something.
struct Draft {
    random: Random,
    /// References that each datum probably has left.
    references: Vec<(Name, u32)>,
    /// Promises that probably have no producer, with what they carry on.
    open: Vec<(Name, Option<Name>)>,
    /// The name that the next statement has.
    name: Name,
    failing: bool,
}

impl Draft {
    /// Any datum, mostly a recent one.
    fn any(&mut self) -> Name {
        self.random.below(self.name.max(1))
    }

    /// A datum that probably has a reference left.
    fn referenced(&mut self) -> Name {
        let left: Vec<Name> = self.references.iter().filter(|(_, left)| *left > 0).map(|(name, _)| *name).collect();
        if left.is_empty() || self.random.one_in(40) {
            return self.any();
        }
        let reach = if self.random.one_in(3) { left.len() } else { left.len().min(8) };
        left[left.len() - 1 - self.random.below(reach)]
    }

    /// A promise that probably has no producer, and what it carries on.
    fn open(&mut self) -> (Name, Option<Name>) {
        if self.open.is_empty() || self.random.one_in(40) {
            return (self.any(), None);
        }
        let place = self.random.below(self.open.len());
        if self.random.one_in(40) { self.open[place] } else { self.open.swap_remove(place) }
    }

    fn count(&mut self, name: Name, change: i64) {
        match self.references.iter_mut().find(|(known, _)| *known == name) {
            Some((_, left)) => *left = left.saturating_add_signed(change as i32),
            None => self.references.push((name, change.max(0) as u32)),
        }
    }

    fn task(&mut self, parent: bool) -> Task {
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        for _ in 0..self.random.below(3) {
            if self.open.is_empty() && !self.random.one_in(40) {
                break;
            }
            let (output, carried) = self.open();
            outputs.push(output);
            if let Some(carried) = carried.filter(|_| inputs.len() < 3 && !self.random.one_in(40)) {
                self.count(carried, -1);
                inputs.push(carried);
            }
        }
        while inputs.len() < 3 && !self.random.one_in(3) {
            let input = self.referenced();
            if !outputs.contains(&input) || self.random.one_in(40) {
                self.count(input, -1);
                inputs.push(input);
            }
        }
        let random = &mut self.random;
        Task {
            place: (!random.one_in(3)).then(|| random.below(3)),
            inputs,
            outputs,
            salt: random.number(),
            code: if self.failing && random.one_in(5) { 1 + random.below(100) as i32 } else { 0 },
            early: random.one_in(6),
            puts: random.one_in(3),
            juggles: random.one_in(5),
            leaves: if random.one_in(6) { random.below(5) } else { 0 },
            child: (parent && self.random.one_in(8)).then(|| {
                let parent = self.random.one_in(2);
                Box::new(self.task(parent))
            }),
        }
    }

    fn action(&mut self) -> Action {
        let name = self.name;
        let choice = self.random.below(100);
        let action = match choice {
            0..8 => Action::Allocate(self.random.number()),
            8..13 => Action::Register(self.random.number()),
            13..27 => {
                self.open.push((name, None));
                Action::Promise
            }
            27..36 => {
                let of = self.referenced();
                self.open.push((name, Some(of)));
                Action::Next(of)
            }
            36..48 => {
                let of = self.referenced();
                self.count(of, 1);
                Action::Acquire(of)
            }
            48..52 => {
                let of = self.referenced();
                self.count(of, -1);
                Action::Relax(of)
            }
            52..55 => Action::Write(self.open().0, self.random.number()),
            55..57 => Action::Publish(self.open().0),
            57..61 => Action::Read(self.referenced()),
            61..64 => Action::Hold(self.referenced()),
            64..66 => Action::Release(self.any()),
            66..98 => Action::Schedule(self.task(true)),
            _ => Action::Wait,
        };
        if choice < 36 {
            self.count(name, 1);
        }
        action
    }
}

impl Program {
    pub fn random(seed: u64) -> Program {
        let mut random = Random::new(seed);
        let length = 3 + random.below(80);
        let (failing, ends_abruptly) = (random.one_in(2), random.one_in(50));
        let mut draft = Draft { random, references: Vec::new(), open: Vec::new(), name: 0, failing };
        let statement = |name| {
            draft.name = name;
            Statement { name, action: draft.action() }
        };
        Program { statements: (0..length).map(statement).collect(), ends_abruptly }
    }

    /// A program of which the model believes something wrong.
    pub fn with_a_wrong_value(seed: u64) -> Program {
        let mut program = Program::random(seed);
        let name = program.statements.len();
        for (offset, action) in [Action::Allocate(1), Action::Lie(name), Action::Read(name)].into_iter().enumerate() {
            program.statements.push(Statement { name: name + offset, action });
        }
        program
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for statement in &self.statements {
            writeln!(f, "  d{}: {:?}", statement.name, statement.action)?;
        }
        writeln!(f, "  {}", if self.ends_abruptly { "finalize" } else { "wait, relax everything" })
    }
}
