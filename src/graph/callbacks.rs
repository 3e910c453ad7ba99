//! Safe calls of the C functions that describe a graph.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

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

/// Narrows the ends of a coordinate for given outer coordinates.
pub(crate) type Bounds = unsafe extern "C" fn(context: *mut c_void, coordinate: i64, tile: *const i64, ends: *mut i64);
/// Zero: nothing is to run at this point.
pub(crate) type Exists = unsafe extern "C" fn(context: *mut c_void, tile: *const i64) -> c_int;

/// A function that is called with the graph's context and the address of a tile.
#[derive(Clone, Copy)]
struct OfTile(unwind_boundary::Function);

/// The function that is called with a function and its data as well, for each successor.
#[derive(Clone, Copy)]
struct TellsSuccessors(unwind_boundary::Function);

/// The function that is called with a coordinate and a place for its ends as well.
#[derive(Clone, Copy)]
struct TellsEnds(unwind_boundary::Function);

/// The callbacks of one graph and their context.
pub(crate) struct Callbacks {
    context: *mut c_void,
    /// The coordinates of a tile.
    dimension: usize,
    run: OfTile,
    predecessors: Option<OfTile>,
    successors: Option<TellsSuccessors>,
    bounds: Option<TellsEnds>,
    exists: Option<OfTile>,
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

/// A function as the unwind boundary calls it.
fn called(function: *const ()) -> unwind_boundary::Function {
    // SAFETY: only who calls it promises anything. It is called across the unwind boundary, which lets it unwind, with its
    // arguments in the first registers: it does not look into the others. What it returns is fetched from the whole
    // register.
    unsafe { transmute::<*const (), unwind_boundary::Function>(function) }
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
        Self {
            context,
            dimension,
            run: OfTile(called(run as *const ())),
            predecessors: predecessors.map(|function| OfTile(called(function as *const ()))),
            successors: successors.map(|function| TellsSuccessors(called(function as *const ()))),
            bounds: None,
            exists: None,
        }
    }

    /// The same with the functions that leave out points of the box.
    ///
    /// # Safety
    /// As for `new`.
    pub(crate) unsafe fn with_shape(self, bounds: Option<Bounds>, exists: Option<Exists>) -> Self {
        Self {
            bounds: bounds.map(|function| TellsEnds(called(function as *const ()))),
            exists: exists.map(|function| OfTile(called(function as *const ()))),
            ..self
        }
    }

    /// Whether the graph leaves out points of its box by their coordinates.
    #[inline]
    pub(crate) fn tells_bounds(&self) -> bool {
        self.bounds.is_some()
    }

    /// Narrows the ends of a coordinate, from 1 on; the coordinates before it are those of `tile`.
    #[inline]
    pub(crate) fn narrow(&self, coordinate: usize, tile: &Tile, ends: &mut [i64; 2]) -> Result<(), Error> {
        let Some(function) = self.bounds else { return Ok(()) };
        let place = std::ptr::without_provenance_mut(coordinate);
        let arguments = [self.context, place, tile.as_ptr().cast_mut().cast(), ends.as_mut_ptr().cast()];
        // SAFETY: by the promise made to `with_shape`; the coordinate is a number in its register, as C passes it.
        engine::sealed(|| unsafe { unwind_boundary::call_for_wide(function.0, arguments) })
            .map(|_| ())
            .map_err(|e| within(&e, "bounds"))
    }

    /// What one of the functions says of a tile.
    #[inline]
    fn told(&self, function: OfTile, tile: &[i64], name: &str) -> Result<i64, Error> {
        debug_assert!(tile.len() >= self.dimension, "a tile has all coordinates");
        let arguments = [self.context, tile.as_ptr().cast_mut().cast(), null_mut(), null_mut()];
        // SAFETY: by the promise made to `new`; all tiles are of the graph's space, and have its coordinates.
        engine::sealed(|| unsafe { unwind_boundary::call_for_wide(function.0, arguments) })
            .map_err(|e| within(&e, name))
    }

    /// Whether something is to run at a point.
    #[inline]
    pub(crate) fn exists(&self, tile: &Tile) -> Result<bool, Error> {
        let Some(function) = self.exists else { return Ok(true) };
        // The function returns an int: the lower half of the register.
        Ok(self.told(function, tile, "exists")? as c_int != 0)
    }

    /// Whether something is to run at a point of a box of these lengths.
    pub(crate) fn has(&self, extent: &[i64], tile: &Tile) -> Result<bool, Error> {
        for (k, &length) in extent.iter().enumerate().skip(1) {
            let mut ends = [0, length - 1];
            self.narrow(k, tile, &mut ends)?;
            if !(ends[0]..=ends[1]).contains(&tile[k]) {
                return Ok(false);
            }
        }
        self.exists(tile)
    }

    /// Whether the graph tells its own edges, rather than leaving them to the carried coordinates.
    pub(crate) fn tells_edges(&self) -> bool {
        self.predecessors.is_some()
    }

    /// Runs a tile; an error has a message.
    #[inline]
    pub(crate) fn run(&self, tile: &Tile) -> Result<(), Error> {
        let arguments = [self.context, tile.as_ptr().cast_mut().cast(), null_mut(), null_mut()];
        // SAFETY: by the promise made to `new`; a `Tile` holds all coordinates.
        match unsafe { unwind_boundary::call_directly(self.run.0, arguments) } {
            Ok(0) => Ok(()),
            Ok(code) => Err(failed(code)),
            Err(thrown) => Err(thrown),
        }
    }

    /// Number of predecessors, or `untold` when the graph leaves that to the carried coordinates.
    #[inline]
    pub(crate) fn predecessors(&self, tile: &[i64], untold: i64) -> Result<i64, Error> {
        let Some(function) = self.predecessors else { return Ok(untold) };
        self.told(function, tile, "predecessors")
    }

    /// Visits the successors; false if the carried coordinates determine them. The slice has `dimension` coordinates.
    #[inline]
    pub(crate) fn successors<V: FnMut(&[i64])>(&self, tile: &Tile, visit: V) -> Result<bool, Error> {
        struct Visitor<V> {
            dimension: usize,
            visit: V,
        }
        unsafe extern "C" fn forward<V: FnMut(&[i64])>(visitor: *mut c_void, tile: *const i64) {
            // SAFETY: `visitor` is the address passed to `successors` just below, which has not returned yet.
            let visitor = unsafe { &mut *visitor.cast::<Visitor<V>>() };
            if !tile.is_null() {
                // SAFETY: the contract of `dvm_graph_visit_t`: `tile` has `dimension` coordinates.
                (visitor.visit)(unsafe { std::slice::from_raw_parts(tile, visitor.dimension) });
            }
        }
        let Some(successors) = self.successors else { return Ok(false) };
        let mut visitor = Visitor { dimension: self.dimension, visit };
        let visit: Visit = forward::<V>;
        let arguments =
            [self.context, tile.as_ptr().cast_mut().cast(), visit as *mut c_void, (&raw mut visitor).cast()];
        // SAFETY: by the promise made to `new`; the visitor lives until the call returns.
        let told = unsafe { unwind_boundary::call_directly(successors.0, arguments) };
        told.map(|_| true).map_err(|e| within(&e, "successors"))
    }
}
