//! Parameterised task graphs: the interface of generated code.
//!
//! # For every function
//! Thread safety: any thread, any time, several at once.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

use super::argument::{BeginsWithSize, Extended, extended};
use super::guard::{guarded, running};
use super::{Arg, dvm_retcode_t};
use crate::engine;
use crate::engine::Call;
use crate::error::Error;
use crate::explain;
use crate::graph::{
    self, Band, Bounds, Callbacks, Exists, GraphParts, Predecessors, Run, Space, Successors, TileCost, Visit,
};
use crate::processing::{forced, unwind_boundary};

/// The greatest number of coordinates of a tile.
pub const DVM_GRAPH_MAX_DIMENSION: usize = 16;

const _: () = assert!(DVM_GRAPH_MAX_DIMENSION == graph::MAX_DIMENSION);

/// What `successors` of a graph calls once for each successor of a tile.
///
/// @param[in] visitor  as given to `successors`
/// @param[in] tile     coordinates of the successor, as many as the graph's dimension
#[allow(non_camel_case_types)]
pub type dvm_graph_visit_t = Option<unsafe extern "C" fn(visitor: *mut c_void, tile: *const i64)>;

/// A task graph that is described by functions of integer coordinates and never held as a whole (the report's
/// sections 4.2.4 and 5.6 name the cost of unfolding one): a tile becomes a task when its first input arrives.
///
/// The tiles are the integer points of the box `lower ..= upper`. Edges are given in one of two ways:
///
/// * by `carried`, with `predecessors` and `successors` both NULL: tile T waits for T - e_k for each coordinate k with
///   `carried[k]` set for which that is in the box. In a permutable band these edges order all dependences.
/// * by `predecessors` and `successors`, both given and in agreement; `carried` is not read then.
///
/// With `carried`, `bounds` may leave out points of the box: the graph then spends no time on them. A dependence must be
/// able to go from tile to tile in unit steps along the carried coordinates, so points without work may have to stay:
/// for them `exists` is 0, nothing runs, and the tiles after them wait as usual.
///
/// All functions may be called from any worker, several at a time. Arrays are updated in place: an edge only orders, and
/// what a tile has written is visible to the tiles after it.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct dvm_graph_t {
    /// `sizeof(dvm_graph_t)`: later versions append fields.
    pub size: usize,
    /// Name for traces and errors; may be NULL.
    pub name: *const c_char,
    /// Number of coordinates, 0 to `DVM_GRAPH_MAX_DIMENSION`; a graph of dimension 0 has one tile.
    pub dimension: c_int,
    /// Least coordinates, `dimension` values; may be NULL when `dimension` is 0.
    pub lower: *const i64,
    /// Greatest coordinates (they belong to the box); one below its least: no tiles.
    pub upper: *const i64,
    /// `dimension` flags; NULL: no edges, all tiles are independent.
    pub carried: *const c_int,
    /// Runs a tile; 0 is success, everything else stops the graph.
    pub run: Option<unsafe extern "C" fn(context: *mut c_void, tile: *const i64) -> c_int>,
    /// Number of predecessors of a tile; negative: this point of the box is not a tile. NULL: by `carried`. It only
    /// counts: it may not begin a blocking section.
    pub predecessors: Option<unsafe extern "C" fn(context: *mut c_void, tile: *const i64) -> i64>,
    /// Calls `visit(visitor, T)` once for each successor T of a tile. NULL: by `carried`.
    pub successors: Option<
        unsafe extern "C" fn(context: *mut c_void, tile: *const i64, visit: dvm_graph_visit_t, visitor: *mut c_void),
    >,
    /// First argument of the functions.
    pub context: *mut c_void,
    /// Narrows `ends`, the least and the greatest value of a coordinate, for the values of the coordinates before it in
    /// `tile`; it is called with the ends of the box, for coordinates from 1 on. Equal arguments, equal answers. NULL:
    /// the graph has all points of the box. Not together with `predecessors`.
    pub bounds: Option<unsafe extern "C" fn(context: *mut c_void, coordinate: i64, tile: *const i64, ends: *mut i64)>,
    /// Zero: nothing is to run at this point. NULL: all points run. Not together with `predecessors`.
    pub exists: Option<unsafe extern "C" fn(context: *mut c_void, tile: *const i64) -> c_int>,
}

// SAFETY: the first field is a `usize`.
#[allow(unsafe_code)]
unsafe impl BeginsWithSize for dvm_graph_t {}
// SAFETY: pointers, numbers and functions that may be NULL.
#[allow(unsafe_code)]
unsafe impl Extended for dvm_graph_t {}

/// The bytes of the first version of `dvm_graph_t`, which ends before `bounds`.
const FIRST_SIZE: usize = std::mem::offset_of!(dvm_graph_t, bounds);

/// @brief Start libdvm when it is not running yet: for generated code in programs that do not call dvm_init.
///
/// Such a process is alone: it joins no job, and where dvmrun has started several, the call is refused.
///
/// What it has started ends when the program exits. A later dvm_init takes over: it succeeds, and the program then
/// calls dvm_finalize as usual. When libdvm runs already, nothing happens.
///
/// @retval DVM_SUCCESS          libdvm is running
/// @retval DVM_ERR_ARGUMENT     an environment variable of libdvm has a value that is not understood
/// @retval DVM_ERR_MEMORY       the threads could not be started
/// @retval DVM_ERR_UNSUPPORTED  the machine's topology cannot be read, or this process was forked while libdvm ran
/// @retval DVM_ERR_NOT_INITIALIZED  a thread is in dvm_finalize
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_graph_start() -> dvm_retcode_t {
    guarded("dvm_graph_start", || {
        engine::start_implicit()?;
        explain::begin()
    })
}

/// @brief Run a graph; returns when all of its tiles have run.
///
/// All tiles run in the calling process, also in a job of several: each process runs graphs of its own.
///
/// Several threads may run graphs at the same time, also beside tasks: the workers share themselves out. The calling
/// thread sleeps meanwhile; only a graph of a single tile runs on the calling thread itself.
///
/// @param[in] graph  the graph; it and all that it points to must stay as they are until the call returns
/// @retval DVM_SUCCESS              every tile has run
/// @retval DVM_ERR_ARGUMENT         graph or its run is NULL, a bound array is missing, the dimension is out of range,
///                                  size is not that of this version, one of predecessors and successors is missing,
///                                  or the box has more than 2^63 - 2 points: nothing has run. Or a successor lies
///                                  outside the box
/// @retval DVM_ERR_TASK             a tile failed, or one of the graph's functions threw: the tiles after it have not run,
///                                  others may have
/// @retval DVM_ERR_STATE            tiles are left over whose predecessors never ran, or predecessors and successors do
///                                  not agree
/// @retval DVM_ERR_IN_TASK          called inside a task or a tile
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running, or dvm_finalize has begun
///
/// Thread safety: any thread that is no worker, several at once. Source: added, for the report's section 5.6.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_graph_run(graph: Arg<*const dvm_graph_t>) -> dvm_retcode_t {
    running("dvm_graph_run", |call| {
        let parts = read(&graph)?;
        graph::execute(call, parts)
    })
}

/// Reads and checks a graph.
pub(super) fn read(graph: &Arg<*const dvm_graph_t>) -> Result<GraphParts, Error> {
    let graph = extended(graph, &[FIRST_SIZE, size_of::<dvm_graph_t>()], "graph")?.map_err(|size| {
        Error::argument(format!(
            "`graph->size` is {size}, this version knows {} bytes: set it to sizeof(dvm_graph_t) and use the header of \
             the library that is linked",
            size_of::<dvm_graph_t>()
        ))
    })?;
    let dimension = dimension(graph.dimension)?;
    let run = graph.run.ok_or_else(|| Error::argument("`graph->run` is NULL"))?;
    if graph.predecessors.is_some() != graph.successors.is_some() {
        return Err(Error::argument(
            "`graph->predecessors` and `graph->successors` must both be given or both be NULL",
        ));
    }
    if graph.predecessors.is_some() && (graph.bounds.is_some() || graph.exists.is_some()) {
        return Err(Error::argument(
            "`graph->bounds` and `graph->exists` are for graphs by `carried`: `predecessors` itself leaves out points",
        ));
    }
    // SAFETY: C has passed the graph: each address is NULL, or that of `dimension` numbers, or of a text that ends with
    // a NUL.
    let (lower, upper, carried, name) =
        unsafe { (Arg::new(graph.lower), Arg::new(graph.upper), Arg::new(graph.carried), Arg::new(graph.name)) };
    let (lower, upper) = (lower.list(dimension, "graph->lower")?, upper.list(dimension, "graph->upper")?);
    let carried = flags(&carried, dimension)?;
    let name = text(&name)?;
    let space = Space::new(lower, upper)?;
    // SAFETY: the documentation of `dvm_graph_t` demands functions that every worker may call at the same time, with
    // this context, until `dvm_graph_run` returns. We call `successors` with a `dvm_graph_visit_t` that is never NULL:
    // the two function types differ only in that, and have the same representation.
    let callbacks = unsafe {
        let successors = graph.successors.map(|function| transmute::<_, Successors>(function));
        Callbacks::new(
            graph.context,
            dimension,
            run as Run,
            graph.predecessors.map(|function| function as Predecessors),
            successors,
        )
        .with_shape(graph.bounds.map(|function| function as Bounds), graph.exists.map(|function| function as Exists))
    };
    Ok(GraphParts { name, space, carried, callbacks })
}

const _: () = assert!(size_of::<dvm_graph_visit_t>() == size_of::<Visit>());

pub(super) fn dimension(given: c_int) -> Result<usize, Error> {
    usize::try_from(given).ok().filter(|&dimension| dimension <= DVM_GRAPH_MAX_DIMENSION).ok_or_else(|| {
        Error::argument(format!("the dimension is {given}: a graph has 0 to {DVM_GRAPH_MAX_DIMENSION} coordinates"))
    })
}

/// The flags of the coordinates; NULL: no flag is set.
fn flags(flags: &Arg<*const c_int>, count: usize) -> Result<Vec<bool>, Error> {
    let flags = flags.optional_list(count, "carried")?;
    Ok(flags.map_or_else(|| vec![false; count], |flags| flags.iter().map(|&flag| flag != 0).collect()))
}

/// The name of a graph.
fn text(name: &Arg<*const c_char>) -> Result<String, Error> {
    if name.is_null() { Ok("graph".into()) } else { Ok(name.bytes("name")?.to_string_lossy().into_owned()) }
}

/// The type of `footprint` in `dvm_graph_sizes`.
type Footprint = unsafe extern "C" fn(context: *mut c_void, sizes: *const i64) -> i64;

/// @brief Choose tile sizes for a permutable band, one per coordinate.
///
/// A size that is positive on entry stays (the pragma's tile(...)). The others come from the environment variable
/// DVM_TILE where it names that coordinate, else from a model of the machine's caches: the tile grows, always where its
/// footprint grows least for its work, as long as it fits its worker's share of the cache and leaves enough tiles for all
/// workers.
///
/// @param[in]     name       the region's name, for messages; may be NULL
/// @param[in]     dimension  the number of coordinates, 0 to DVM_GRAPH_MAX_DIMENSION
/// @param[in]     extent     the number of values of each coordinate of the band, dimension values; not positive: none
/// @param[in]     carried    dimension flags as in dvm_graph_t, or NULL
/// @param[in]     footprint  bytes that a tile of the given sizes touches; may be NULL: eight bytes per point
/// @param[in]     context    the first argument of footprint
/// @param[in,out] sizes      dimension sizes, 0 where one is wanted; all are positive on success
/// @retval DVM_SUCCESS              sizes is written
/// @retval DVM_ERR_ARGUMENT         dimension is out of range, extent or sizes is NULL with a dimension above 0, or a
///                                  size is negative
/// @retval DVM_ERR_TASK             footprint threw, or left by pthread_exit
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_graph_sizes(
    name: Arg<*const c_char>,
    dimension: c_int,
    extent: Arg<*const i64>,
    carried: Arg<*const c_int>,
    footprint: Option<unsafe extern "C" fn(context: *mut c_void, sizes: *const i64) -> i64>,
    context: Arg<*mut c_void>,
    sizes: Arg<*mut i64>,
) -> dvm_retcode_t {
    running("dvm_graph_sizes", |call| {
        let dimension = self::dimension(dimension)?;
        let (extent, wanted) = (extent.list(dimension, "extent")?, sizes.list(dimension, "sizes")?);
        let unit = vec![1; dimension];
        let band = (extent, &carried, wanted, unit.as_slice(), TileCost { point: 1, processes: 1 });
        let (name, context) = (text(&name)?, context.pointer());
        let chosen = sizes_of(call, &name, band, footprint, context)?;
        note_tiles(call, || name, (extent, &chosen), footprint, context)?;
        sizes.write_all(&chosen, "sizes")
    })
}

/// Chooses the sizes for a band: its extents, which coordinates are carried, and the sizes that the program wants,
/// and what chosen sizes are to be multiples of.
pub(super) fn sizes_of(
    call: &Call,
    name: &str,
    (extent, carried, wanted, unit, cost): (&[i64], &Arg<*const c_int>, &[i64], &[i64], TileCost),
    footprint: Option<Footprint>,
    context: *mut c_void,
) -> Result<Vec<i64>, Error> {
    let carried = flags(carried, extent.len())?;
    if let Some(size) = wanted.iter().find(|&&size| size < 0) {
        return Err(Error::argument(format!(
            "region '{name}': a tile size is {size}: sizes are positive, 0 asks for one"
        )));
    }
    let tile = TileFootprint::new(footprint, context);
    let band = Band { extent, carried: &carried, wanted, unit, cost };
    let chosen = graph::choose_sizes(call, name, band, &|sizes| tile.bytes(sizes));
    tile.check(name).map(|()| chosen)
}

/// Notes how many bytes the tiles of these sizes touch, and whether there is only one, if that is to be told.
pub(super) fn note_tiles(
    call: &Call,
    name: impl FnOnce() -> String,
    (extent, sizes): (&[i64], &[i64]),
    footprint: Option<Footprint>,
    context: *mut c_void,
) -> Result<(), Error> {
    let trace = call.engine().trace();
    if !trace.wants_regions() {
        return Ok(());
    }
    let (name, tile) = (name(), TileFootprint::new(footprint, context));
    trace.tile_bytes(&name, tile.bytes(sizes).max(0).cast_unsigned());
    if extent.iter().zip(sizes).all(|(extent, size)| size >= extent) {
        trace.plain_entry(&name);
    }
    tile.check(&name)
}

/// The bytes that tiles touch: what the program's function says, which may throw.
struct TileFootprint {
    function: Option<Footprint>,
    context: *mut c_void,
    thrown: Cell<Option<Error>>,
}

impl TileFootprint {
    fn new(function: Option<Footprint>, context: *mut c_void) -> TileFootprint {
        TileFootprint { function, context, thrown: Cell::new(None) }
    }

    fn bytes(&self, sizes: &[i64]) -> i64 {
        let Some(footprint) = self.function else {
            return sizes.iter().fold(8, |product: i64, &size| product.saturating_mul(size));
        };
        let arguments = [self.context, sizes.as_ptr().cast_mut().cast(), null_mut(), null_mut()];
        // SAFETY: as documented for `footprint`; `sizes` has as many values as the band has coordinates. The unwind
        // boundary calls it with its two arguments in the first two registers, and lets it unwind.
        let call = || unsafe {
            unwind_boundary::call_for_wide(transmute::<Footprint, unwind_boundary::Function>(footprint), arguments)
        };
        forced::with_place(call).unwrap_or_else(|message| {
            self.thrown.set(Some(message));
            i64::MAX
        })
    }

    fn check(self, name: &str) -> Result<(), Error> {
        self.thrown.take().map_or(Ok(()), |message| {
            Err(Error::new(message.code(), format!("region '{name}' {message} in its footprint function")))
        })
    }
}
