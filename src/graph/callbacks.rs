//! Safe calls of the C functions that describe a graph.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::{self, null_mut};

use super::space::Tile;
use crate::engine;
use crate::error::{Error, dvm_retcode_t};
use crate::processing::unwind_boundary;

/// `dvm_graph_visit_t`: `successors` calls it once per successor.
pub(crate) type Visit = unsafe extern "C" fn(visitor: *mut c_void, tile: *const i64);
/// Runs a tile; returns 0 for success.
pub(crate) type Run = unsafe extern "C" fn(context: *mut c_void, tile: *const i64) -> c_int;
/// Number of predecessors of a tile; negative: not a tile of the graph.
pub(crate) type Predecessors = unsafe extern "C" fn(context: *mut c_void, tile: *const i64) -> i64;
/// Calls `visit` for each successor of a tile.
pub(crate) type Successors =
    unsafe extern "C" fn(context: *mut c_void, tile: *const i64, visit: Visit, visitor: *mut c_void);

/// One of the functions of a graph: called with the graph's context and the address of a tile, and a function and its data for whoever
/// tells successors.
#[derive(Clone, Copy)]
struct Function(unwind_boundary::Function);

/// The callbacks of one graph and their context.
pub(crate) struct Callbacks {
    context: *mut c_void,
    /// The coordinates of a tile.
    dimension: usize,
    run: Function,
    predecessors: Option<Function>,
    successors: Option<Function>,
}

// SAFETY: `Callbacks::new` demands of its caller that the functions may be called from any thread, several at a time.
unsafe impl Send for Callbacks {}
// SAFETY: as for Send.
unsafe impl Sync for Callbacks {}

#[cold]
#[inline(never)]
fn failed(code: c_int) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_TASK, format!("failed with code {code}"))
}

#[cold]
#[inline(never)]
fn within(thrown: &Error, function: &str) -> Error {
    Error::new(thrown.code(), format!("{thrown} in its {function} function"))
}

impl Callbacks {
    /// The functions of a graph whose tiles have so many coordinates.
    ///
    /// # Safety
    /// The functions follow the contracts of `dvm_graph_t`, may be called from any thread and several at a time, and
    /// `context` is valid for them until the last call has returned.
    pub(crate) unsafe fn new(
        context: *mut c_void,
        dimension: usize,
        run: Run,
        predecessors: Option<Predecessors>,
        successors: Option<Successors>,
    ) -> Self {
        // SAFETY: each is called across the unwind boundary, which lets it unwind, with its arguments in the first registers: it does not
        // look into the others. What it returns is fetched from the whole register.
        let called =
            |function: *const ()| unsafe { Function(transmute::<*const (), unwind_boundary::Function>(function)) };
        Self {
            context,
            dimension,
            run: called(run as *const ()),
            predecessors: predecessors.map(|function| called(function as *const ())),
            successors: successors.map(|function| called(function as *const ())),
        }
    }

    /// Calls one of them for a tile, with a visitor where it tells successors.
    #[inline]
    fn call<V: FnMut(&[i64])>(
        &self,
        function: Function,
        tile: &[i64],
        visitor: Option<&mut Visitor<V>>,
    ) -> Result<i64, Error> {
        assert!(tile.len() >= self.dimension, "a tile has all coordinates");
        let (visit, visitor) = match visitor {
            Some(visitor) => (forward::<V> as Visit as *mut c_void, ptr::from_mut(visitor).cast()),
            None => (null_mut(), null_mut()),
        };
        let arguments = [self.context, tile.as_ptr().cast_mut().cast(), visit, visitor];
        // SAFETY: by the promise made to `new`; the tile has its coordinates, and the visitor, of this type, lives until the call returns.
        unsafe { unwind_boundary::call_function(function.0, arguments) }
    }

    /// Whether the graph gives its own edges instead of carried coordinates.
    pub(crate) fn tells_edges(&self) -> bool {
        self.predecessors.is_some()
    }

    /// Runs a tile; an error has a message.
    #[inline]
    pub(crate) fn run(&self, tile: &Tile) -> Result<(), Error> {
        match self.call(self.run, tile, NOBODY)? as c_int {
            0 => Ok(()),
            code => Err(failed(code)),
        }
    }

    /// Number of predecessors, or `untold` when the graph leaves that to the carried coordinates.
    #[inline]
    pub(crate) fn predecessors(&self, tile: &[i64], untold: i64) -> Result<i64, Error> {
        let Some(function) = self.predecessors else { return Ok(untold) };
        engine::sealed(|| self.call(function, tile, NOBODY)).map_err(|e| within(&e, "predecessors"))
    }

    /// Visits the successors; false if the carried coordinates determine them. The slice has `dimension` coordinates.
    #[inline]
    pub(crate) fn successors<V: FnMut(&[i64])>(&self, tile: &Tile, visit: V) -> Result<bool, Error> {
        let Some(successors) = self.successors else { return Ok(false) };
        let mut visitor = Visitor { dimension: self.dimension, visit };
        let told = self.call(successors, tile, Some(&mut visitor));
        told.map(|_| true).map_err(|e| within(&e, "successors"))
    }
}

/// What looks at the successors of a tile.
struct Visitor<V> {
    dimension: usize,
    visit: V,
}

/// For functions that tell none.
const NOBODY: Option<&mut Visitor<fn(&[i64])>> = None;

unsafe extern "C" fn forward<V: FnMut(&[i64])>(visitor: *mut c_void, tile: *const i64) {
    // SAFETY: `visitor` is the address passed by `call`, which has not returned yet.
    let visitor = unsafe { &mut *visitor.cast::<Visitor<V>>() };
    if !tile.is_null() {
        // SAFETY: the contract of `dvm_graph_visit_t`: `tile` has `dimension` coordinates.
        (visitor.visit)(unsafe { std::slice::from_raw_parts(tile, visitor.dimension) });
    }
}
