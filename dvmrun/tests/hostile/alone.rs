//! Process 0 of a job of two, which says what a test has it say, message by message.

use std::time::Instant;

use dvm::id::{DatumId, ProcessId, ProcessingId};
use dvm::transport::job::tickets;
use dvm::transport::{Embedded, Peer, PullBy, Transport as _, TransportEvent, connect};
use dvm::wire::{Argument, Arguments, BatchHead, DatumAt, Here, How, Message, Payload, TaskMessage, Value};

use super::relay::Told;
use crate::PATIENCE;
use crate::workload::player::{DEADLINE, Player};

/// The processings of `workload`, by the order in which it registers them.
pub const WORK: u64 = 0;
pub const MAKE: u64 = 2;

/// Process 0, and the honest process beside it.
pub struct Alone {
    transport: Embedded,
    player: Player,
    tasks: u32,
    data: u64,
}

/// The first number of data and processings.
const FIRST: u64 = 1 << 32;

/// This process, and the other one.
pub const ME: ProcessId = ProcessId::from_index(0);
pub const OTHER: ProcessId = ProcessId::from_index(1);

/// A datum of process 1 that does not exist.
pub fn no_datum() -> DatumId {
    DatumId::from_raw([1, FIRST + 1000])
}

pub fn argument(id: DatumId, how: How<'_>) -> Argument<'_> {
    Argument { datum: DatumAt::home(id), size: 16, how, last: false }
}

/// The id that a value is.
fn id_in(value: &Value<'_>) -> Option<DatumId> {
    let Value::Published { payload: Payload::Inline(bytes), .. } = value else { return None };
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    Some(DatumId::from_raw([number(0), number(8)]))
}

impl Alone {
    /// Joins a job with a process that plays the program of this seed.
    pub fn begin(told: &Told, seed: u64) -> Alone {
        let mut tickets = tickets(2).unwrap().into_iter();
        let mine = tickets.next().unwrap();
        let mut player = Player::start(tickets.next().unwrap(), seed, 4, PATIENCE);
        let transport = connect(mine.seat().unwrap(), PullBy::Ring).unwrap();
        transport.gather(&told.cards[0]).unwrap();
        transport.gather(&told.places[0]).unwrap();
        player.hear("init", Instant::now() + DEADLINE).unwrap();
        Alone { transport, player, tasks: 0, data: FIRST }
    }

    /// A datum of this process.
    pub fn datum(&mut self) -> DatumId {
        self.data += 1;
        DatumId::from_raw([0, self.data])
    }

    /// The number of the next task.
    pub fn next_task(&self) -> u32 {
        self.tasks
    }

    /// Says this, in one batch.
    pub fn say(&self, messages: &[Message<'_>]) {
        let mut batch = Vec::new();
        BatchHead::begin(&mut batch);
        for message in messages {
            message.add_to(&mut batch).unwrap();
        }
        BatchHead::default().finish(&mut batch);
        self.transport.send(Peer::new(1), &batch);
    }

    /// The next task, of a processing of process 1.
    pub fn task<'a>(&mut self, processing: u64, arguments: &'a [Argument<'a>]) -> Message<'a> {
        self.tasks += 1;
        let processing = ProcessingId::from_raw([1, FIRST + processing]);
        let arguments = Arguments::of(arguments);
        Message::Task(TaskMessage { sequence: self.tasks - 1, near: true, processing, worker: 0, arguments })
    }

    /// A promise that process 1 has made.
    pub fn made(&mut self) -> DatumId {
        // It registers its processings after its beginning: the first tasks may fail.
        std::iter::repeat_with(|| self.make()).find_map(|made| made).unwrap()
    }

    /// Has process 1 run `make`: the id that it tells, if it could.
    fn make(&mut self) -> Option<DatumId> {
        let told = self.datum();
        let arguments = [argument(told, How::Output)];
        let task = self.task(MAKE, &arguments);
        self.say(&[task]);
        let (until, mut made) = (Instant::now() + DEADLINE, None);
        while made.is_none() {
            assert!(Instant::now() < until, "no answer: {}", self.player.where_it_stands());
            self.transport.poll(&mut |event| {
                let TransportEvent::Batch(_, batch) = event else { return };
                for message in BatchHead::read(batch).unwrap().1 {
                    match message.unwrap() {
                        Message::Here(Here { datum, value, .. }) if datum.id == told => made = Some(id_in(&value)),
                        _ => {}
                    }
                }
            });
        }
        made.flatten()
    }

    /// Waits until process 1 comes to its end, and was told of the loss.
    pub fn end(mut self) {
        let said = self.player.end(Instant::now() + DEADLINE).unwrap();
        assert!(said.ends_with("lost"), "{said}");
    }
}
