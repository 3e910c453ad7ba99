//! A plugin: a shared object that moves bytes by an MPI. It is never unloaded: MPI would not survive it.
#![allow(unsafe_code, reason = "functions of the plugin's table")]

use std::any::Any;
use std::collections::HashMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use libloading::os::unix::{Library, RTLD_NOW};

use super::contract::{Incoming, LossCause, Outgoing, Peer, Sent, TransportEvent};
use super::plugin_abi::{self as abi, Entry, PluginEvent, PluginInfo, PluginTable};
use crate::error::{Error, dvm_retcode_t};
use crate::sync::lock::Mutex;
use crate::sync::thread::starting_library;

fn unsupported(text: String) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, text)
}

/// What a transfer's memory is for, until its end is told.
enum Held {
    Out(Outgoing, u64),
    In(Incoming, u64),
}

/// A connection to all processes of a communicator, by a plugin.
pub(crate) struct Plugin {
    table: &'static PluginTable,
    connection: NonNull<c_void>,
    me: Peer,
    processes: usize,
    largest_batch: usize,
    /// What the MPI says of itself, and which threads may call it.
    description: String,
    /// The one thread that may call MPI; none where all may.
    driver: Option<ThreadId>,
    held: Mutex<HashMap<u64, Held>>,
    next: AtomicU64,
}

// SAFETY: any thread may call the functions of the table, as its types state.
unsafe impl Send for Plugin {}
// SAFETY: as above.
unsafe impl Sync for Plugin {}

/// The table of a plugin's file.
fn load(file: &Path) -> Result<&'static PluginTable, Error> {
    let refuse = |why: String| unsupported(format!("the plugin {} cannot be used: {why}", file.display()));
    // With all its functions of MPI at once: one that is missing later would end the process.
    // SAFETY: what a shared object does when it is loaded is up to whoever has put it where plugins are.
    let library = unsafe { Library::open(Some(file), RTLD_NOW) }.map_err(|error| refuse(error.to_string()))?;
    // For the life of the process.
    let library = Box::leak(Box::new(library));
    // SAFETY: a plugin's function of this name has this type; its table stays, as nothing is unloaded.
    let entry = unsafe { library.get::<Entry>(abi::ENTRY) }.map_err(|error| refuse(error.to_string()))?;
    let table = entry().ok_or_else(|| refuse("it has no table".into()))?;
    if table.version != abi::VERSION || (table.size as usize) < size_of::<PluginTable>() {
        let text = format!("it is of version {}, and this libdvm of version {}", table.version, abi::VERSION);
        return Err(refuse(text));
    }
    Ok(table)
}

/// What went wrong last in this thread.
fn error_text(table: &PluginTable) -> String {
    let mut text = vec![0; 1024];
    // SAFETY: so much room is there.
    let length = unsafe { (table.error_text)(text.as_mut_ptr(), text.len() as u64) };
    text.truncate(length as usize);
    String::from_utf8_lossy(&text).into_owned()
}

impl Plugin {
    /// Loads the plugin, and connects the processes of a communicator, or of the whole job. Collective.
    ///
    /// # Errors
    /// The file is no plugin of this libdvm, or the MPI refuses something.
    pub(crate) fn open(file: &Path, communicator: Option<i32>) -> Result<Plugin, Error> {
        let table = load(file)?;
        let mut info = PluginInfo {
            size: size_of::<PluginInfo>() as u32,
            rank: 0,
            processes: 0,
            thread_level: 0,
            initialised_here: 0,
            reserved: 0,
            largest_batch: 0,
            library: [0; 512],
        };
        let flags = if communicator.is_some() { abi::HAS_COMMUNICATOR } else { 0 };
        let opened = starting_library(|| (table.open)(communicator.unwrap_or(0), flags, &mut info));
        let Some(connection) = opened else {
            return Err(unsupported(format!("MPI cannot be used: {}", error_text(table))));
        };
        let library = info.library.map(|byte| byte as u8);
        let library = String::from_utf8_lossy(library.split(|&byte| byte == 0).next().unwrap_or_default());
        let level = match info.thread_level {
            abi::MULTIPLE => "any thread calls it",
            _ => "only the thread that called dvm_init calls it",
        };
        let begun = if info.initialised_here == 1 { "; initialised by libdvm" } else { "" };
        Ok(Plugin {
            table,
            connection,
            me: Peer::new(info.rank),
            processes: info.processes as usize,
            largest_batch: info.largest_batch as usize,
            description: format!("{}; {level}{begun}", library.lines().next().unwrap_or_default()),
            driver: (info.thread_level < abi::MULTIPLE).then(|| thread::current().id()),
            held: Mutex::new(HashMap::new()),
            next: AtomicU64::new(0),
        })
    }

    pub(crate) fn me(&self) -> Peer {
        self.me
    }

    pub(crate) fn processes(&self) -> usize {
        self.processes
    }

    pub(crate) fn largest_batch(&self) -> usize {
        self.largest_batch
    }

    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    /// Whether this thread, and no other one, moves bytes by MPI.
    pub(crate) fn depends_on_this_thread(&self) -> bool {
        self.driver.is_some_and(|driver| driver == thread::current().id())
    }

    /// Whether another thread, and no other one, does.
    pub(crate) fn depends_on_another_thread(&self) -> bool {
        self.driver.is_some_and(|driver| driver != thread::current().id())
    }

    /// What is left of it when it is closed.
    pub(crate) fn end(&self) -> EndOfMpi {
        EndOfMpi(self.table)
    }

    /// As the transport's.
    pub(crate) fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        unsafe extern "C" fn given(context: *mut c_void, _: u32, bytes: *const u8, length: u64) {
            // SAFETY: the context is the list below, and the bytes are there during this call.
            let (all, bytes) = unsafe { (&mut *context.cast::<Vec<Vec<u8>>>(), lent(bytes, length)) };
            all.push(bytes.to_vec());
        }
        let mut all: Vec<Vec<u8>> = Vec::new();
        let context = (&raw mut all).cast();
        // SAFETY: what is passed lives during the call.
        let failed =
            unsafe { (self.table.gather)(self.connection.as_ptr(), mine.as_ptr(), mine.len() as u64, given, context) };
        if failed == 0 && all.len() == self.processes {
            return Ok(all);
        }
        let text = format!("the processes cannot gather by MPI: {}", error_text(self.table));
        Err(Error::new(dvm_retcode_t::DVM_ERR_PEER_LOST, text))
    }

    pub(crate) fn send(&self, to: Peer, batch: &[u8]) -> Sent {
        assert!(batch.len() <= self.largest_batch, "a batch has at most {} bytes", self.largest_batch);
        let (connection, to) = (self.connection.as_ptr(), to.index() as u32);
        // SAFETY: the batch is there during the call.
        match unsafe { (self.table.send)(connection, to, batch.as_ptr(), batch.len() as u64) } {
            abi::TAKEN => Sent::Taken,
            abi::FULL => Sent::Full,
            _ => Sent::Gone,
        }
    }

    pub(crate) fn poll(&self, deliver: &mut dyn FnMut(TransportEvent<'_>)) -> bool {
        let mut polling = Polling { plugin: self, deliver, panic: None };
        let context = (&raw mut polling).cast();
        // SAFETY: the context lives during the call, and is for the function beside it.
        let events = unsafe { (self.table.poll)(self.connection.as_ptr(), hand_over, context) };
        if let Some(panic) = polling.panic {
            resume_unwind(panic);
        }
        events > 0
    }

    fn hold(&self, held: Held) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.held.lock().insert(number, held);
        number
    }

    pub(crate) fn bulk_send(&self, to: Peer, ticket: u64, from: Outgoing, token: u64) {
        let bytes = (*from).as_ref();
        let (start, length) = (bytes.as_ptr(), bytes.len() as u64);
        let number = self.hold(Held::Out(from, token));
        let (connection, to) = (self.connection.as_ptr(), to.index() as u32);
        // SAFETY: the memory is held until its end is told.
        unsafe { (self.table.bulk_send)(connection, to, ticket, start, length, number) };
    }

    pub(crate) fn bulk_receive(&self, from: Peer, ticket: u64, mut into: Incoming, token: u64) {
        let bytes = (*into).as_mut();
        let (start, length) = (bytes.as_mut_ptr(), bytes.len() as u64);
        let number = self.hold(Held::In(into, token));
        let (connection, from) = (self.connection.as_ptr(), from.index() as u32);
        // SAFETY: the memory is held until its end is told, and nobody else's until then.
        unsafe { (self.table.bulk_receive)(connection, from, ticket, start, length, number) };
    }

    /// The event that ends a transfer. `kind` is the plugin's.
    fn ended(&self, number: u64, kind: u32) -> Option<TransportEvent<'static>> {
        let held = self.held.lock().remove(&number)?;
        Some(match (held, kind) {
            (Held::Out(from, token), abi::BULK_SENT) => {
                drop(from);
                TransportEvent::BulkSent(token)
            }
            (Held::In(into, token), abi::BULK_RECEIVED) => TransportEvent::BulkReceived(token, into),
            (Held::Out(_, token) | Held::In(_, token), abi::BULK_FAILED) => TransportEvent::BulkFailed(token),
            (Held::Out(from, token), _) => {
                std::mem::forget(from);
                TransportEvent::BulkFailed(token)
            }
            (Held::In(into, token), _) => {
                std::mem::forget(into);
                TransportEvent::BulkFailed(token)
            }
        })
    }

    pub(crate) fn close(self, clean: bool) {
        // SAFETY: the last call.
        let free = unsafe { (self.table.close)(self.connection.as_ptr(), clean.into()) };
        let held = std::mem::take(&mut *self.held.lock());
        if free != 1 {
            std::mem::forget(held);
        }
    }
}

/// The end of an MPI that a plugin has initialised: at the process's exit.
#[derive(Clone, Copy)]
pub(crate) struct EndOfMpi(&'static PluginTable);

impl EndOfMpi {
    /// There is none: it would wait for a peer that is lost.
    pub(crate) fn forgo(self) {
        (self.0.forgo_end)();
    }
}

/// Bytes of the plugin's.
///
/// # Safety
/// So many are there as long as the slice lives.
unsafe fn lent<'a>(start: *const u8, length: u64) -> &'a [u8] {
    match length {
        0 => &[],
        // SAFETY: as the caller promises.
        length => unsafe { slice::from_raw_parts(start, length as usize) },
    }
}

/// A poll under way.
struct Polling<'a, 'b> {
    plugin: &'a Plugin,
    deliver: &'a mut (dyn FnMut(TransportEvent<'_>) + 'b),
    /// What `deliver` threw: nothing is thrown through the plugin. Later events of this poll are lost.
    panic: Option<Box<dyn Any + Send>>,
}

impl Polling<'_, '_> {
    fn hand_over(&mut self, event: &PluginEvent, bytes: &[u8]) {
        let peer = Peer::new(event.peer);
        let event = match event.kind {
            abi::BATCH => Some(TransportEvent::Batch(peer, bytes)),
            abi::LEFT => Some(TransportEvent::Left(peer)),
            abi::LOST => Some(TransportEvent::Lost(peer, LossCause::Mpi(String::from_utf8_lossy(bytes).into_owned()))),
            kind => self.plugin.ended(event.token, kind),
        };
        if let Some(event) = event {
            (self.deliver)(event);
        }
    }
}

/// What the plugin calls for each event.
unsafe extern "C" fn hand_over(context: *mut c_void, event: *const PluginEvent) {
    // SAFETY: the context is the caller's, whose poll waits for this; the event and its bytes live during this call.
    let (polling, event, bytes) = unsafe {
        let event = &*event;
        (&mut *context.cast::<Polling<'_, '_>>(), event, lent(event.bytes, event.length))
    };
    if polling.panic.is_none() {
        polling.panic = catch_unwind(AssertUnwindSafe(|| polling.hand_over(event, bytes))).err();
    }
}
