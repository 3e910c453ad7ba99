//! Operations of calls on data: those of the store, as seen from a thread or from the task that it runs. A task's own
//! arguments need no lists of the store, and the gets of a task end with it. A thread outside tasks may have to sleep
//! until a datum is published.

use super::context::call::Call;
use super::context::task_gets::{Frame, HeldAddress};
use super::context::{Own, ThreadContext};
use crate::data::{
    DatumId, FreeCallback, Initial, MOST_BYTES, NOWHERE, Outcome, Reach, STORE, Storage, names, not_got, too_many_gets,
};
use crate::error::{Error, dvm_retcode_t};
use crate::task::OwnedTask;

/// The error for a size that no machine has.
#[cold]
#[inline(never)]
fn too_large(size: usize) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_MEMORY, format!("no machine has {size} bytes for one datum"))
}

impl Call {
    #[inline]
    fn create(&self, initial: Initial) -> Result<DatumId, Error> {
        self.context.with(|own| STORE.create(&mut own.data, initial))
    }

    #[inline]
    fn home(&self) -> u32 {
        self.context.home(self.engine().workers())
    }

    /// Makes a datum of memory of the program.
    #[inline]
    pub(crate) fn register(&self, addr: *mut u8, size: usize, free: Option<FreeCallback>) -> Result<DatumId, Error> {
        self.open()?;
        if addr.addr().checked_add(size).is_none() || size > MOST_BYTES {
            return Err(Error::argument(format!("{size} bytes at {addr:p} do not fit into the address space")));
        }
        // The datum has its storage from the beginning: a thread that guesses the id finds these bytes. If the store
        // has no room, the memory stays the caller's.
        let storage = Storage::Registered { addr, free };
        self.create(Initial { size, storage, published: true, home: self.home() })
    }

    /// Makes a datum of new, zeroed memory.
    #[inline]
    pub(crate) fn allocate(&self, size: usize) -> Result<DatumId, Error> {
        self.open()?;
        let home = self.home();
        self.context.with(|own| {
            let storage = own.data.zeroed(size)?;
            STORE.create(&mut own.data, Initial { size, storage, published: true, home })
        })
    }

    /// Makes a promise.
    #[inline]
    pub(crate) fn promise(&self, size: usize) -> Result<DatumId, Error> {
        self.open()?;
        if size > MOST_BYTES {
            return Err(too_large(size));
        }
        self.create(Initial { size, storage: Storage::Absent, published: false, home: NOWHERE })
    }

    /// Makes a promise that carries on the storage of a datum.
    #[inline]
    pub(crate) fn next(&self, current: DatumId) -> Result<DatumId, Error> {
        self.open()?;
        if !current.is_here() {
            return self.next_of_far(current);
        }
        let size = STORE.size(current)?;
        let storage = Storage::Successor { of: current.number() };
        let next = self.create(Initial { size, storage, published: false, home: NOWHERE })?;
        names::carry_on(current, next, |id| STORE.size(id).is_ok());
        Ok(next)
    }

    /// Makes a promise that carries on the storage of another process's datum.
    #[cold]
    #[inline(never)]
    fn next_of_far(&self, current: DatumId) -> Result<DatumId, Error> {
        let job = self.far(current)?;
        let next = self.create(Initial { size: 0, storage: Storage::Absent, published: false, home: NOWHERE })?;
        job.scheduler.carry_on(current, next)?;
        Ok(next)
    }

    /// Names a datum for messages, or takes its name away.
    ///
    /// # Errors
    /// The datum is another process's, or there is none; or no memory.
    pub(crate) fn name(&self, id: DatumId, name: Option<String>) -> Result<(), Error> {
        if !id.is_here() {
            self.far(id)?;
            return Err(Error::state(format!("datum {id} is named by process {}, which made it", id.home())));
        }
        STORE.size(id)?;
        names::give(id, name, |id| STORE.size(id).is_ok())
    }

    /// Adds a reference.
    #[inline]
    pub(crate) fn acquire(&self, id: DatumId) -> Result<(), Error> {
        STORE.acquire(id).or_else(|error| self.acquire_far(id, error))
    }

    /// Drops a reference.
    #[inline]
    pub(crate) fn relax(&self, id: DatumId) -> Result<(), Error> {
        if !id.is_here() {
            return self.relax_far(id);
        }
        self.context.with(|own| STORE.relax(&mut own.data, id))
    }

    /// Address and size of a datum.
    #[inline]
    pub(crate) fn get(&self, id: DatumId) -> Result<(*mut u8, usize), Error> {
        let own_argument = self.context.with(|own| {
            let (reach, got) = own.frame.few(id)?;
            let bytes = STORE.argument(id, reach)?;
            *got = got.checked_add(1)?;
            Some((bytes.addr, bytes.size))
        });
        match own_argument {
            Some(bytes) => Ok(bytes),
            None => self.get_other(id),
        }
    }

    /// The same for a datum that is not an argument of the running task, or has no bytes yet.
    #[inline(never)]
    fn get_other(&self, id: DatumId) -> Result<(*mut u8, usize), Error> {
        if !id.is_here() {
            return self.get_far(id);
        }
        let may_sleep = !self.context.inside();
        // Known before the thread looks: another process may tell at any time where the bytes are.
        let _far_bytes = self.job().filter(|_| may_sleep && STORE.may_come(id)).map(|job| {
            let waits = job.waits_for(id);
            job.scheduler.drive_to_value(id);
            waits
        });
        let _waits = if may_sleep { self.engine().program_waits_for(id) } else { None };
        let _sleeps = may_sleep.then(|| self.sleeps());
        self.context.with(|own| {
            if !own.frame.runs() {
                let reach = if may_sleep { Reach::Outside } else { Reach::Callback };
                return STORE.get(&mut own.data, id, reach).map(|got| (got.addr, got.size));
            }
            let argument = own.frame.place(id);
            if let Some((place, reach)) = argument
                && let Some(got) = own.frame.count(place)
                && let Some(bytes) = STORE.argument(id, reach).or_else(|| match reach {
                    Reach::Output => STORE.output(&mut own.data, id),
                    _ => None,
                })
            {
                *got = got.checked_add(1).ok_or_else(|| too_many_gets(id))?;
                return Ok((bytes.addr, bytes.size));
            }
            if !own.frame.held.is_empty()
                && let Some(held) = own.frame.held.find(id)
            {
                held.count += 1;
                return Ok((held.addr, held.size));
            }
            own.frame.held.make_room()?;
            let got = STORE.get(&mut own.data, id, argument.map_or(Reach::Task, |(_, reach)| reach))?;
            own.frame.held.add(HeldAddress { id, addr: got.addr, size: got.size, count: 1, counted: got.counted });
            Ok((got.addr, got.size))
        })
    }

    /// The same for another process's datum.
    #[cold]
    #[inline(never)]
    fn get_far(&self, id: DatumId) -> Result<(*mut u8, usize), Error> {
        if let Some(slot) = self.context.with(|own| own.frame.slot_of(id)) {
            return self.get(slot); // an argument
        }
        let job = self.far(id)?;
        let got = self.get(job.scheduler.bring(id)?);
        job.scheduler.got(id);
        got
    }

    /// Ends a get.
    #[inline]
    pub(crate) fn put(&self, id: DatumId) -> Result<(), Error> {
        let of_argument = self.context.with(|own| {
            let (_, got) = own.frame.few(id).filter(|(_, got)| **got > 0)?;
            *got -= 1;
            Some(())
        });
        match of_argument {
            Some(()) => Ok(()),
            None => self.put_other(id),
        }
    }

    #[inline(never)]
    fn put_other(&self, id: DatumId) -> Result<(), Error> {
        if !id.is_here() {
            return self.put_far(id);
        }
        self.context.with(|own| {
            if !own.frame.runs() {
                return STORE.put_outside(&mut own.data, id);
            }
            if own.frame.has_many()
                && let Some((place, _)) = own.frame.place(id)
                && let Some(got) = own.frame.count(place).filter(|got| **got > 0)
            {
                *got -= 1;
                return Ok(());
            }
            match own.frame.held.put(id) {
                None => return Err(STORE.refuse_put(id)),
                Some(true) => STORE.put_counted(&mut own.data, id),
                Some(false) => {}
            }
            Ok(())
        })
    }

    /// The same for another process's datum.
    #[cold]
    #[inline(never)]
    fn put_far(&self, id: DatumId) -> Result<(), Error> {
        self.far(id)?;
        let slot = self.slot_of(id).ok_or_else(|| not_got(id))?;
        self.put(slot)
    }

    /// Makes the caller the producer of a promise.
    #[inline]
    pub(crate) fn write(&self, id: DatumId) -> Result<(*mut u8, usize), Error> {
        if !id.is_here() {
            self.far(id)?;
            return Err(Error::state(format!(
                "datum {id} is a promise of process {}: only that process writes it by hand, or a task that has it as \
                 an output",
                id.home()
            )));
        }
        self.context.with(|own| STORE.write(&mut own.data, id))
    }

    /// Publishes a promise by hand.
    #[inline]
    pub(crate) fn publish(&self, id: DatumId) -> Result<(), Error> {
        if !id.is_here() {
            self.far(id)?;
            let slot = self.context.with(|own| own.frame.slot_of(id)).ok_or_else(|| {
                Error::state(format!(
                    "datum {id} is a promise of process {}: that process publishes it, or the task whose output it is",
                    id.home()
                ))
            })?;
            return self.publish(slot);
        }
        let home = self.home();
        let bytes = self.traced_size(id);
        let waiters = self.context.with(|own| {
            let argument = own.frame.place(id);
            let mine = argument.filter(|&(_, reach)| reach == Reach::Output);
            if let Some((place, _)) = mine {
                own.frame.hold(place, id)?;
            }
            let held = own.frame.held.find(id).filter(|held| !held.counted);
            // From now on other tasks may read the datum, and carry it on: an address that is kept has to be counted.
            let waiters = STORE.publish(&mut own.data, id, mine.is_some(), u32::from(held.is_some()), home)?;
            if let Some(held) = own.frame.held.find(id) {
                held.counted = true;
            }
            Ok::<_, Error>(waiters)
        })?;
        self.trace_publication(id, bytes);
        self.activate(waiters, Outcome::Published);
        Ok(())
    }
}

impl Call {
    /// The size of a promise that may be about to be published, if a trace is on.
    #[inline]
    pub(crate) fn traced_size(&self, id: DatumId) -> Option<usize> {
        if self.engine().trace().is_on() { STORE.promised_size(id) } else { None }
    }

    /// Records the publication.
    #[inline]
    pub(crate) fn trace_publication(&self, id: DatumId, bytes: Option<usize>) {
        if let Some(bytes) = bytes {
            self.engine().trace().publish(self.worker(), id.number(), bytes);
        }
    }
}

impl Frame {
    /// Turns the gets of an unpublished output into an address that can be counted.
    fn hold(&mut self, place: usize, id: DatumId) -> Result<(), Error> {
        self.held.make_room()?;
        if let Some(count) = self.count(place).map(std::mem::take).filter(|&count| count > 0)
            && let Some(got) = STORE.argument(id, Reach::Output)
        {
            let count = u64::from(count);
            match self.held.find(id) {
                Some(held) => held.count += count,
                None => self.held.add(HeldAddress { id, addr: got.addr, size: got.size, count, counted: false }),
            }
        }
        Ok(())
    }
}

impl Own {
    #[inline]
    fn put_held(&mut self) {
        if !self.frame.held.is_empty() {
            self.put_all_held();
        }
    }

    #[cold]
    #[inline(never)]
    fn put_all_held(&mut self) {
        while let Some(held) = self.frame.held.pop() {
            if held.counted {
                STORE.put_counted(&mut self.data, held.id);
            }
        }
    }
}

impl ThreadContext {
    /// Ends all gets of the task that has just run on this thread, and returns the task.
    #[inline]
    pub(crate) fn put_all(&self) -> OwnedTask {
        self.with(|own| {
            let task = own.frame.end().expect("it has just run");
            own.put_held();
            task
        })
    }

    /// The same for a task without arguments.
    #[inline]
    pub(crate) fn put_argumentless(&self) {
        self.with(|own| {
            own.frame.end_argumentless();
            own.put_held();
        });
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::ptr;

    use crate::data::{self, DataCache, DatumId, Reach};
    use crate::engine;

    thread_local! {
        static FOUND: Cell<*mut u8> = const { Cell::new(ptr::null_mut()) };
    }

    /// Gets the datum as a thread does that guesses the id.
    fn guess(store: &data::Store, id: DatumId) {
        let mut cache = DataCache::new();
        let got = store.get(&mut cache, id, Reach::Outside).unwrap();
        FOUND.set(got.addr);
        store.put_outside(&mut cache, id).unwrap();
    }

    /// If the bytes were set after the id is valid, a thread that guesses the id would find zeros elsewhere, and they would stay.
    #[test]
    fn a_registered_datum_has_its_bytes_from_the_first_moment_on() {
        static BYTES: u64 = 0x0123_4567_89ab_cdef;
        engine::init_alone().unwrap();
        let call = engine::enter().unwrap();
        let address = (&raw const BYTES).cast_mut().cast();
        let id = data::made::looking(guess, || call.register(address, size_of::<u64>(), None)).unwrap();
        assert_eq!(FOUND.get(), address, "what the guess has found");
        assert_eq!(call.get(id).unwrap().0, address);
        call.put(id).unwrap();
        call.relax(id).unwrap();
        drop(call);
        engine::finalize().unwrap();
    }
}
