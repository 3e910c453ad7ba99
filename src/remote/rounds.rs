//! Redistributions over processes: messages of the rounds that `protocol::rounds` decides about, and their bytes.

use std::collections::BTreeSet;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::losses::out_of_the_job;
use super::progress::EAGER;
use super::state::{Handled, Remote, Step, Transfer, index};
use crate::data::FreshBytes;
use crate::engine::{Call, Delivered, PackedElements, RemoteRounds, enter};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::protocol::Breach;
use crate::protocol::rounds::{Delivery, NO_PLAN, Opening, RoundAction, RoundEvent};
use crate::transport::{Incoming, Peer, RemoteAddress, Wake};
use crate::wire::{Edge, HeapPlace, Message, Offer, RoundKey, RoundMessage, RoundRole, read_round_message};

/// How many jobs this process has joined.
static LIVES: AtomicU64 = AtomicU64::new(0);

/// The number of a new one.
pub(super) fn next_life() -> u64 {
    LIVES.fetch_add(1, Ordering::Relaxed)
}

/// Tickets of rounds, which the sender numbers, beside those that receivers number.
const ROUND_TICKET: u64 = 1 << 63;

/// A call into the engine that called.
fn inside() -> Call {
    enter().expect("the engine calls from inside")
}

/// A process as the transport names it.
fn peer(process: ProcessId) -> Peer {
    Peer::new(process.index() as u32)
}

/// Bytes that go out under a ticket.
struct Outgoing(FreshBytes);

impl AsRef<[u8]> for Outgoing {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

impl Step<'_> {
    fn send_round(&mut self, to: ProcessId, message: &RoundMessage<'_>) {
        let mut buffer = Vec::new();
        let edge = message.edge(&mut buffer);
        self.send(to, &Message::Edge(edge));
    }

    fn send_round_to_all(&mut self, message: &RoundMessage<'_>) {
        let others: Vec<ProcessId> =
            self.state.membership.survivors().filter(|process| *process != self.me()).collect();
        for other in others {
            self.send_round(other, message);
        }
    }

    /// Numbers the next plan, and tells all others its digest.
    fn number_plan(&mut self, digest: u64, holders: &BTreeSet<ProcessId>) -> u32 {
        let plan = self.state.rounds.plan(digest, holders);
        self.send_round_to_all(&RoundMessage::Plan { plan, digest });
        let mut actions = Vec::new();
        self.state.rounds.hold(plan, &mut actions);
        self.round_actions(actions);
        plan
    }

    /// A message about a redistribution has come.
    pub(super) fn round_message(&mut self, from: ProcessId, edge: &Edge<'_>) -> Handled {
        let unread = |_| Breach::new(from, "it sends a message about redistributions that cannot be read");
        let mut actions = Vec::new();
        let rounds = &mut self.state.rounds;
        let handled = match read_round_message(edge).map_err(unread)? {
            RoundMessage::Plan { plan, digest } => rounds.told(from, plan, digest),
            RoundMessage::Offer { key, arrays, offer } => {
                rounds.event(from, key, RoundEvent::Offer(arrays, owned(offer)), &mut actions)
            }
            RoundMessage::Taken(key) => rounds.event(from, key, RoundEvent::Taken, &mut actions),
            RoundMessage::Refused { key, role, code, text } => {
                let error = Error::new(code, format!("process {from} takes no part in the redistribution: {text}"));
                rounds.event(from, key, RoundEvent::Refused(role, error), &mut actions)
            }
            RoundMessage::Freed(key) => rounds.freed(from, key, &mut actions),
            RoundMessage::Left { key, lost } => rounds.left(from, key, ProcessId::from_index(lost), &mut actions),
        };
        self.round_actions(actions);
        self.wake();
        handled
    }

    /// A process is lost.
    pub(super) fn round_partner_lost(&mut self, lost: ProcessId) {
        let mut actions = Vec::new();
        self.state.rounds.lost(lost, &mut actions);
        self.round_actions(actions);
    }

    fn round_actions(&mut self, actions: Vec<RoundAction>) {
        for action in actions {
            match action {
                RoundAction::Keep(promise) => self.call.settle(promise, true),
                RoundAction::Break(promise) => self.call.settle(promise, false),
                RoundAction::Receive { key, from, ticket, bytes } => self.receive_elements(key, from, ticket, bytes),
                RoundAction::Leave { key, lost } => {
                    self.send_round_to_all(&RoundMessage::Left { key, lost: lost.index() as u32 });
                }
            }
        }
    }

    fn receive_elements(&mut self, key: RoundKey, from: ProcessId, ticket: u64, bytes: u64) {
        let fresh = usize::try_from(bytes).ok().and_then(|bytes| FreshBytes::new(bytes).ok());
        let Some(fresh) = fresh else { return self.elements_filled(key, from, None) };
        let token = self.state.number();
        self.state.transfers.insert(token, Transfer::Elements { key, from });
        self.remote.transport.bulk_receive(peer(from), ticket, Box::new(fresh), token);
    }

    /// Elements have come under a ticket, or will not.
    pub(super) fn elements_came(&mut self, key: RoundKey, from: ProcessId, incoming: Option<Incoming>) {
        let fresh = incoming.and_then(|incoming| incoming.into_any().downcast::<FreshBytes>().ok());
        self.elements_filled(key, from, fresh.map(|fresh| *fresh));
    }

    fn elements_filled(&mut self, key: RoundKey, from: ProcessId, fresh: Option<FreshBytes>) {
        let come = fresh.is_some();
        self.state.elements.extend(fresh.map(|fresh| ((key, from), fresh)));
        let mut actions = Vec::new();
        self.state.rounds.filled(key, from, come, &mut actions);
        self.round_actions(actions);
    }

    /// Memory of another process where it can be read here.
    fn read_there(&self, from: ProcessId, place: HeapPlace) -> Result<PackedElements, Error> {
        let none = || {
            let text = format!("the memory of process {from} cannot be read here");
            Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, text)
        };
        let bytes = usize::try_from(place.bytes).map_err(|_| none())?;
        let at = RemoteAddress::Heap { segment: place.segment, offset: place.offset };
        if let Some(mapped) = self.remote.transport.map(peer(from), at, bytes) {
            return Ok(PackedElements::Mapped(mapped));
        }
        let mut fresh = FreshBytes::new(bytes)?;
        if self.remote.transport.pull(peer(from), at, fresh.as_mut()) {
            return Ok(PackedElements::Received(fresh));
        }
        Err(none())
    }

    fn delivered(&mut self, key: RoundKey, delivery: Delivery) -> Result<(ProcessId, Delivered), Error> {
        let Delivery { from, offer } = delivery;
        let delivered = match offer {
            Offer::Inline(bytes) => Delivered::Packed(PackedElements::Inline(bytes)),
            Offer::Away { .. } => {
                let fresh = self.state.elements.remove(&(key, from));
                let fresh = fresh.ok_or_else(|| Error::state("elements are gone that had come"))?;
                Delivered::Packed(PackedElements::Received(fresh))
            }
            Offer::Packed(place) => Delivered::Packed(self.read_there(from, place)?),
            Offer::Memories(places) => {
                let places = places.into_iter().map(|place| self.read_there(from, place));
                Delivered::Memories(places.collect::<Result<_, _>>()?)
            }
        };
        Ok((from, delivered))
    }
}

fn owned(offer: Offer<&[u8]>) -> Offer<Vec<u8>> {
    match offer {
        Offer::Inline(bytes) => Offer::Inline(bytes.to_vec()),
        Offer::Away { ticket, bytes } => Offer::Away { ticket, bytes },
        Offer::Packed(place) => Offer::Packed(place),
        Offer::Memories(places) => Offer::Memories(places),
    }
}

impl Remote {
    /// Where a process of this host can read the memory.
    fn place_for(&self, to: ProcessId, memory: NonNull<[u8]>) -> Option<HeapPlace> {
        match self.transport.address_for(peer(to), memory)? {
            RemoteAddress::Heap { segment, offset } => Some(HeapPlace { segment, offset, bytes: memory.len() as u64 }),
            RemoteAddress::Memory(_) => None,
        }
    }
}

impl RemoteRounds for Remote {
    fn life(&self) -> u64 {
        self.life
    }

    fn agree(&self, digest: u64, holders: &BTreeSet<ProcessId>) -> Result<u32, Error> {
        let call = inside();
        let plan = self.step(&call, |step| step.number_plan(digest, holders));
        let agreed = self.wait_until(&call, EAGER, |step| {
            if step.state.membership.ended() {
                return Some(Err(out_of_the_job()));
            }
            step.state.rounds.agreed(plan, step.state.membership.survivors())
        });
        if agreed.is_err() || digest == NO_PLAN {
            self.free(plan);
        }
        agreed.map(|()| plan)
    }

    fn decline(&self) {
        let plan = self.step(&inside(), |step| step.number_plan(NO_PLAN, &BTreeSet::new()));
        self.free(plan);
    }

    fn free(&self, plan: u32) {
        self.step(&inside(), |step| {
            let key = step.state.rounds.free(plan);
            step.send_round_to_all(&RoundMessage::Freed(key));
        });
    }

    fn begin(&self, plan: u32) -> Result<RoundKey, Error> {
        self.state.lock().rounds.begin(plan)
    }

    fn open(&self, key: RoundKey, opening: Opening) {
        self.step(&inside(), |step| {
            let mut actions = Vec::new();
            step.state.rounds.open(key, opening, &mut actions);
            step.round_actions(actions);
        });
    }

    fn offer_memories(&self, key: RoundKey, arrays: u64, to: ProcessId, memories: &[NonNull<[u8]>]) -> bool {
        let places: Option<Vec<HeapPlace>> = memories.iter().map(|memory| self.place_for(to, *memory)).collect();
        let most = self.transport.largest_batch() / size_of::<HeapPlace>() / 2;
        let Some(places) = places.filter(|places| places.len() <= most) else { return false };
        self.step(&inside(), |step| {
            step.send_round(to, &RoundMessage::Offer { key, arrays, offer: Offer::Memories(places) });
        });
        true
    }

    fn offer_packed(&self, key: RoundKey, arrays: u64, to: ProcessId, packed: FreshBytes) -> Option<FreshBytes> {
        let place = self.place_for(to, NonNull::from(packed.bytes()));
        self.step(&inside(), |step| {
            let length = packed.bytes().len();
            if length <= step.state.eager {
                let offer = Offer::Inline(packed.bytes());
                step.send_round(to, &RoundMessage::Offer { key, arrays, offer });
                return None;
            }
            if let Some(place) = place {
                step.send_round(to, &RoundMessage::Offer { key, arrays, offer: Offer::Packed(place) });
                return Some(packed);
            }
            if !step.state.membership.is_alive(to) {
                return None;
            }
            let token = step.state.number();
            let offer = Offer::Away { ticket: ROUND_TICKET | token, bytes: length as u64 };
            step.send_round(to, &RoundMessage::Offer { key, arrays, offer });
            step.state.transfers.insert(token, Transfer::Offered);
            step.remote.transport.bulk_send(peer(to), ROUND_TICKET | token, Box::new(Outgoing(packed)), token);
            step.state.records.traffic.sent[index(to)].bytes += length as u64;
            None
        })
    }

    fn deliveries(&self, key: RoundKey) -> Result<Vec<(ProcessId, Delivered)>, Error> {
        self.step(&inside(), |step| {
            let deliveries = step.state.rounds.deliveries(key);
            deliveries.into_iter().map(|delivery| step.delivered(key, delivery)).collect()
        })
    }

    fn taken(&self, key: RoundKey, from: &BTreeSet<ProcessId>) {
        self.step(&inside(), |step| from.iter().for_each(|sender| step.send_round(*sender, &RoundMessage::Taken(key))));
    }

    fn refuse(&self, key: RoundKey, role: RoundRole, others: &BTreeSet<ProcessId>, why: &Error) {
        let message = RoundMessage::Refused { key, role, code: why.code(), text: why.message() };
        self.step(&inside(), |step| others.iter().for_each(|other| step.send_round(*other, &message)));
    }

    fn failure(&self, key: RoundKey) -> Option<Error> {
        self.state.lock().rounds.failure(key)
    }

    fn close(&self, key: RoundKey) -> Option<Error> {
        let mut state = self.state.lock();
        let failure = state.rounds.close(key);
        // Elements of a round that has failed.
        let left: Vec<FreshBytes> =
            state.elements.extract_if(|(of, _), _| *of == key).map(|(_, fresh)| fresh).collect();
        drop(state);
        drop(left);
        failure
    }

    fn drive(&self, over: &dyn Fn() -> bool) {
        if self.transport.wake() == Wake::Doorbell {
            return;
        }
        let call = inside();
        let mut came = Instant::now();
        while !over() {
            if self.poll_for_others(&call) {
                came = Instant::now();
            } else if let Some(nap) = self.transport.wake().sleep_after(came.elapsed()) {
                std::thread::sleep(nap);
            }
        }
    }
}
