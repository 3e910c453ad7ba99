//! Bytes between processes: copies of far data, requests for them, and transfers of many bytes.

use std::ptr::NonNull;

use super::near_data::{ECHO_TICKET, PLAIN_TICKET};
use super::state::{Brought, Handled, Step, Transfer, index};
use crate::data::{DatumId, FreshBytes, STORE, Storage};
use crate::id::ProcessId;
use crate::protocol::Breach;
use crate::protocol::copies::{CopyAction, RemoteCopies};
use crate::trace::MessageKind;
use crate::transport::{Incoming, PAGE, Peer, RemoteAddress};
use crate::wire::{Bytes, DatumAt, Fetch, Here, Message, Payload, Value};

/// A process as the transport names it.
fn peer(process: ProcessId) -> Peer {
    Peer::new(process.index() as u32)
}

impl Step<'_> {
    /// Lets the machine of copies take something in, and does what it says.
    pub(super) fn copies(&mut self, change: impl FnOnce(&mut RemoteCopies, &mut Vec<CopyAction>)) {
        let mut actions = Vec::new();
        change(&mut self.state.copies, &mut actions);
        for action in actions {
            self.copy_action(action);
        }
    }

    fn copy_action(&mut self, action: CopyAction) {
        let me = self.me();
        match action {
            CopyAction::Subscribe(id) => self.send(id.home(), &Message::Subscribe(DatumAt { id, at: me })),
            CopyAction::Fetch { id, at, ticket, .. } if at == me => {
                // An output of a task of this process: the bytes are here.
                let here = self.state.far.get(&id).is_some_and(|far| far.slot.is_some());
                self.copies(|copies, actions| {
                    if here {
                        copies.bytes_came(ticket, false, actions);
                    } else {
                        copies.poisoned(id, actions);
                    }
                });
            }
            CopyAction::Fetch { id, at, ticket, size } => {
                // A thread's bytes stay when their datum is freed meanwhile.
                let plain = if self.is_got_by_threads(id) { PLAIN_TICKET } else { 0 };
                self.ask_for_bytes(ticket | plain, id, at, size);
            }
            CopyAction::Evict(id) => {
                // What a task of this process has produced stays until its home frees it.
                if self.state.far.get(&id).is_some_and(|far| far.output.is_none()) {
                    self.state.records.traffic.evictions += 1;
                    self.forget_slot(id);
                }
                self.tidy(id);
            }
            CopyAction::Ready(arrival) => match self.state.brought.get_mut(&arrival) {
                Some(brought) => {
                    *brought = Brought::Here;
                    self.wake();
                }
                None => self.launch(arrival),
            },
            CopyAction::Cancel(arrival) => match self.state.brought.get_mut(&arrival) {
                Some(brought) => {
                    *brought = Brought::Never;
                    self.wake();
                }
                None => self.cancel(arrival),
            },
        }
    }

    /// Asks a process for bytes.
    pub(super) fn ask_for_bytes(&mut self, ticket: u32, id: DatumId, at: ProcessId, size: u64) {
        let (start, me) = (self.stamp(), self.me());
        let plain = if self.remote.maps { 0 } else { PLAIN_TICKET };
        let fetch = Fetch { ticket: ticket | plain, datum: DatumAt { id, at }, asker: me, worker: 0, size };
        self.send(at, &Message::Fetch(fetch));
        self.state.records.traffic.fetches += 1;
        self.record_bytes(start, MessageKind::AskBytes, (me, at), (ticket, id, size));
    }

    /// Whether threads wait for a far datum outside the arguments of tasks.
    fn is_got_by_threads(&self, id: DatumId) -> bool {
        self.state.copies.waiters(id).any(|waiter| self.state.brought.contains_key(&waiter))
    }

    /// A process says what a far datum has come to.
    pub(super) fn here_elsewhere(&mut self, here: &Here<'_>) {
        let (id, place) = (here.datum.id, here.datum.at);
        if self.state.locating.contains_key(&id) {
            let size = if let Value::Published { size, .. } = here.value { size } else { 0 };
            self.state.hints.insert(id, (place, size));
            self.state.located.push(id);
        }
        if !self.state.copies.knows(id) {
            return;
        }
        match here.value {
            Value::Published { size, payload: Payload::Inline(bytes) } => {
                self.inline(id, bytes);
                self.copies(|copies, actions| copies.here(id, place, size, true, actions));
                self.drop_unwanted(id);
            }
            Value::Published { size, .. } => {
                self.far(id).size = size;
                self.copies(|copies, actions| copies.here(id, place, size, false, actions));
            }
            Value::Poisoned(code, text) => {
                self.far(id).failure = Some((code, text.to_owned()));
                self.copies(|copies, actions| copies.poisoned(id, actions));
            }
        }
    }

    /// Keeps bytes that came along with a message.
    pub(super) fn inline(&mut self, id: DatumId, bytes: &[u8]) {
        if self.far(id).slot.is_some() {
            return;
        }
        match self.call.storage_of(bytes) {
            Ok(storage) => drop(self.keep(id, storage, bytes.len())),
            Err(error) => self.no_room(id, &error),
        }
    }

    /// Forgets bytes that came along, and that the machine of copies did not take.
    pub(super) fn drop_unwanted(&mut self, id: DatumId) {
        if !self.state.copies.is_present(id) && self.state.far.get(&id).is_some_and(|far| far.output.is_none()) {
            self.forget_slot(id);
            self.tidy(id);
        }
    }

    /// A process asks for bytes that it believes to be here.
    pub(super) fn fetch(&mut self, from: ProcessId, fetch: &Fetch) -> Handled {
        if fetch.asker != from {
            return Err(Breach::new(from, "it asks for bytes in another process's name"));
        }
        let (id, ticket) = (fetch.datum.id, fetch.ticket);
        if ticket & ECHO_TICKET != 0 {
            self.send(from, &Message::Bytes(Bytes { ticket, id, payload: None }));
            return Ok(());
        }
        let slot = if id.home() == self.me() {
            self.near(id).map(|_| id)
        } else {
            self.state.far.get(&id).and_then(|far| far.slot)
        };
        let lent = slot.and_then(|slot| Some((slot, self.data(|cache| STORE.lend(cache, slot))?)));
        let Some((slot, lent)) = lent else {
            self.send(from, &Message::Bytes(Bytes { ticket, id, payload: None }));
            return Ok(());
        };
        let (start, size) = (self.stamp(), lent.as_ref().len() as u64);
        if lent.as_ref().len() <= self.state.eager {
            let payload = Some(Payload::Inline(lent.as_ref()));
            self.send(from, &Message::Bytes(Bytes { ticket, id, payload }));
            self.record_bytes(start, MessageKind::SendBytes, (from, from), (ticket, id, size));
            drop(lent);
            self.data(|cache| STORE.reconsider(cache, slot));
            return Ok(());
        }
        let shared = self.remote.transport.address_for(peer(from), NonNull::from(lent.as_ref()));
        if ticket & PLAIN_TICKET == 0
            && let Some(RemoteAddress::Heap { segment, offset }) = shared
        {
            // Whoever reads there has a reference until it has read.
            drop(lent);
            let payload = Some(Payload::Heap { heap: segment, offset });
            self.send(from, &Message::Bytes(Bytes { ticket, id, payload }));
            self.record_bytes(start, MessageKind::SendBytes, (from, from), (ticket, id, size));
            self.data(|cache| STORE.reconsider(cache, slot));
            return Ok(());
        }
        self.send(from, &Message::Bytes(Bytes { ticket, id, payload: Some(Payload::Away) }));
        let token = self.state.number();
        self.state.transfers.insert(token, Transfer::Out(slot));
        self.remote.transport.bulk_send(peer(from), u64::from(ticket), Box::new(lent), token);
        self.state.records.traffic.sent[index(from)].bytes += size;
        self.record_bytes(start, MessageKind::SendBytes, (from, from), (ticket, id, size));
        Ok(())
    }

    /// The answer to a request for bytes.
    pub(super) fn bytes(&mut self, from: ProcessId, bytes: &Bytes<'_>) -> Handled {
        let Bytes { ticket, id, payload } = *bytes;
        if ticket & ECHO_TICKET != 0 {
            self.echoed(ticket, id);
            return Ok(());
        }
        let (plain, ticket) = (ticket & PLAIN_TICKET != 0, ticket & !PLAIN_TICKET);
        let expected = match self.state.requests.get(&ticket) {
            Some(requested) => Some((*requested, self.state.near.get(requested).map_or(0, |near| near.size))),
            None => self.state.copies.fetching(ticket),
        };
        // Who has been told of a loss asks another process for the same.
        let Some((_, size)) = expected.filter(|(expected, _)| *expected == id) else { return Ok(()) };
        match payload {
            Some(Payload::Away) => {
                let comes = |transfer: &Transfer| matches!(transfer, Transfer::In { ticket: of } if *of == ticket);
                if self.state.transfers.values().any(comes) {
                    return Err(Breach::new(from, "it answers a request for bytes twice"));
                }
                let fresh = usize::try_from(size).ok().map(FreshBytes::new);
                match fresh {
                    Some(Ok(fresh)) => {
                        let token = self.state.number();
                        self.state.transfers.insert(token, Transfer::In { ticket });
                        let named = u64::from(bytes.ticket);
                        self.remote.transport.bulk_receive(peer(from), named, Box::new(fresh), token);
                    }
                    _ => return Err(Breach::new(from, "it sends more bytes than this process has room for")),
                }
            }
            Some(Payload::Inline(bytes)) => match self.call.storage_of(bytes) {
                Ok(storage) => self.bytes_came(ticket, Some((storage, bytes.len())), false),
                Err(error) => {
                    self.no_room(id, &error);
                    self.bytes_came(ticket, None, false);
                }
            },
            Some(Payload::Heap { heap, offset }) => {
                if plain || !self.remote.maps || !offset.is_multiple_of(PAGE) {
                    return Err(Breach::new(from, "it names shared memory that nobody asked for"));
                }
                let at = RemoteAddress::Heap { segment: heap, offset };
                self.map_bytes(from, (ticket, id, size), at);
            }
            None => self.bytes_came(ticket, None, false),
        }
        Ok(())
    }

    /// The bytes that were asked for can be read where they lie.
    fn map_bytes(&mut self, from: ProcessId, (ticket, id, size): (u32, DatumId, u64), at: RemoteAddress) {
        let mapped = usize::try_from(size).ok().and_then(|size| self.remote.transport.map(peer(from), at, size));
        match mapped {
            // A thread has come meanwhile.
            Some(_) if self.is_got_by_threads(id) => self.ask_for_bytes(ticket | PLAIN_TICKET, id, from, size),
            Some(memory) => self.bytes_came(ticket, Some((Storage::kept(memory), size as usize)), true),
            None => self.ask_for_bytes(ticket | PLAIN_TICKET, id, from, size),
        }
    }

    /// A transfer of many bytes is over.
    pub(super) fn transferred(&mut self, token: u64, incoming: Option<Incoming>) {
        match self.state.transfers.remove(&token) {
            Some(Transfer::Out(slot)) => {
                self.data(|cache| STORE.reconsider(cache, slot));
                self.try_free(slot);
            }
            Some(Transfer::In { ticket }) => {
                let fresh = incoming.and_then(|incoming| incoming.into_any().downcast::<FreshBytes>().ok());
                if fresh.is_none() && self.give_up_sender(ticket) {
                    return self.wake();
                }
                self.bytes_came(ticket, fresh.map(|fresh| fresh.into_storage()), false);
            }
            Some(Transfer::Elements { key, from }) => self.elements_came(key, from, incoming),
            Some(Transfer::Offered) | None => {}
        }
        self.wake();
    }

    /// The bytes that were asked for have come, or there are none.
    fn bytes_came(&mut self, ticket: u32, bytes: Option<(Storage, usize)>, mapped: bool) {
        let start = self.stamp();
        let asked = self.state.requests.get(&ticket).copied();
        let id = asked.or_else(|| self.state.copies.fetching(ticket).map(|(id, _)| id));
        let size = bytes.as_ref().map(|(_, size)| *size as u64);
        self.take_bytes(ticket, bytes, mapped);
        if let (Some(id), Some(size)) = (id, size) {
            let me = self.me();
            self.state.records.traffic.fetched_bytes += size;
            self.record_bytes(start, MessageKind::HaveBytes, (me, me), (ticket, id, size));
        }
    }

    fn take_bytes(&mut self, ticket: u32, bytes: Option<(Storage, usize)>, mapped: bool) {
        if let Some(id) = self.state.requests.remove(&ticket) {
            if let Some(near) = self.state.near.get_mut(&id) {
                near.ticket = None;
            }
            if let Some((_, size)) = &bytes {
                STORE.set_size(id, *size);
            }
            self.call.arrived(id, bytes.map(|(storage, _)| storage));
            self.take_in(id);
            return self.try_free(id);
        }
        let Some((id, _)) = self.state.copies.fetching(ticket) else { return };
        let kept = match bytes {
            Some((storage, size)) => self.keep(id, storage, size),
            None => false,
        };
        self.copies(|copies, actions| {
            if kept {
                copies.bytes_came(ticket, mapped, actions);
            } else {
                copies.poisoned(id, actions);
            }
        });
        self.tidy(id);
    }
}
