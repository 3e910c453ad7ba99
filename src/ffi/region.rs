//! Regions of generated code: how an entry runs, by what earlier entries have taken.
//!
//! # For every function
//! Thread safety: any thread, any time, several at once.

use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

use super::graph::{dvm_graph_t, note_tiles, read, sizes_of};
use super::guard::{guarded, running};
use super::{Arg, dvm_retcode_t};
use crate::engine;
use crate::error::Error;
use crate::graph::{self, CLASSES, Record, RecordName, RegionEntry, RegionWay, TileCost};

/// The number of powers of two of the work that a region tells apart.
pub const DVM_REGION_CLASSES: usize = 64;

const _: () = assert!(DVM_REGION_CLASSES == CLASSES);

/// What generated code keeps of a region, or of one of its phases, in static memory: the names are constant, the rest is
/// zero at first and belongs to libdvm.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct dvm_region_t {
    /// `sizeof(dvm_region_t)`: later versions append fields.
    pub size: usize,
    /// Name for messages.
    pub name: *const c_char,
    /// The line in the source.
    pub line: i64,
    /// The phase's number; -1: the record is the region's.
    pub phase: i64,
    /// Libdvm's number for the record; 0: none yet.
    pub number: u64,
    /// By the power of two of the work: so many entries run the original loops without asking. Who enters counts down.
    pub unasked: [u32; DVM_REGION_CLASSES],
}

/// The name of a record, in static memory.
/// cbindgen:ignore
type ConstName = Arg<'static, *const c_char>;

/// A `dvm_region_t` as threads share it.
/// cbindgen:ignore
#[derive(Debug)]
#[repr(C)]
pub struct Shared {
    size: usize,
    name: ConstName,
    line: i64,
    phase: i64,
    record: Record,
}

const _: () = assert!(size_of::<Shared>() == size_of::<dvm_region_t>());

/// An entry into a region or a phase.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct dvm_region_entry_t {
    /// 0: the original loops, or one tile. 1: the phases, or several tiles.
    pub way: i64,
    /// The power of two of the work.
    pub work: i64,
    /// When it began, if `dvm_region_leave` is to be called; else 0.
    pub begun: u64,
}

impl Shared {
    /// The record, if it is of this version.
    fn known(&self) -> Result<&Shared, Error> {
        if self.size == size_of::<dvm_region_t>() {
            return Ok(self);
        }
        Err(Error::argument(format!(
            "`region->size` is {}, this version knows {} bytes",
            self.size,
            size_of::<dvm_region_t>()
        )))
    }

    /// Nanoseconds of an entry with so much work in this process, as far as measured.
    pub(super) fn least_time(&self, work: i64) -> Result<Option<u64>, Error> {
        Ok(self.known()?.record.least_time(work))
    }

    fn name(&self) -> RecordName {
        let Shared { ref name, line, phase, .. } = *self;
        let region = name.text().ok().flatten().unwrap_or_else(|| "region".to_owned());
        RecordName { region, line, phase }
    }
}

/// @brief Begin an entry into a region, or into one of its phases: by the fastest way that is known.
///
/// The first entries for each power of two of the work measure both ways; then the faster one stays, and both are
/// measured again once in a while. What a region computes does not depend on the way. With DVM_TUNE=0 nothing is
/// measured, and the way is always 1.
///
/// For a region whose original loops are the fastest, `region->unasked` tells how many entries need not ask.
///
/// @param[in,out] region  the record of the region or phase
/// @param[in]     work    about the number of iterations
/// @param[out]    entry   how to run it; if entry->begun is not 0, dvm_region_leave is to be called after it
/// @retval DVM_SUCCESS              entry is written
/// @retval DVM_ERR_ARGUMENT         region or entry is NULL, or the region's size is not that of this version
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_region_enter(
    region: Arg<*mut dvm_region_t, Shared>,
    work: i64,
    entry: Arg<*mut dvm_region_entry_t>,
) -> dvm_retcode_t {
    running("dvm_region_enter", |call| {
        let region = region.get("region")?.known()?;
        let place = entry.result("entry")?;
        let RegionEntry { way, class, timed } = if !call.engine().config().tune() {
            RegionEntry { way: RegionWay::Tiled, class: 0, timed: false }
        } else if call.inside_task() {
            RegionEntry { way: RegionWay::Plain, class: 0, timed: false }
        } else {
            let learner = region.record.learner(call, || region.name())?;
            let entry = learner.enter(work);
            if entry.way == RegionWay::Plain && !entry.timed && region.phase < 0 {
                region.record.leave_unasked(entry.class, learner.take_plain(entry.class));
            }
            entry
        };
        if way == RegionWay::Plain && call.engine().trace().wants_regions() {
            call.engine().trace().plain_entry(&region.name().region);
        }
        let begun = if timed { graph::now() } else { 0 };
        place.write(dvm_region_entry_t { way: i64::from(way == RegionWay::Tiled), work: class as i64, begun });
        Ok(())
    })
}

/// @brief Tell whether the caller should run a region's original loops because libdvm does not run yet, and the regions so
/// far had less work than its start costs.
///
/// It does not wait if libdvm runs, nor if the environment has a variable of libdvm other than DVM_WORKERS, DVM_VERBOSE
/// and those of the compilers (DVM_CC, DVM_FC, DVM_FLANG, DVM_PREFIX).
///
/// @param[in]  work   the number of iterations of the region, or -1
/// @param[out] waits  1: run the original loops. 0: start libdvm (dvm_graph_start) and go on
/// @retval DVM_SUCCESS       waits is written
/// @retval DVM_ERR_ARGUMENT  waits is NULL
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_region_waits(work: i64, waits: Arg<*mut c_int>) -> dvm_retcode_t {
    guarded("dvm_region_waits", || {
        let place = waits.result("waits")?;
        place.write(c_int::from(!engine::running() && graph::waits_to_start(work, *ASKED.get_or_init(asked))));
        Ok(())
    })
}

/// Whether a variable asks libdvm for anything but a number of workers.
static ASKED: OnceLock<bool> = OnceLock::new();

fn asked() -> bool {
    std::env::vars_os().any(|(name, _)| asks(name.as_encoded_bytes()))
}

fn asks(name: &[u8]) -> bool {
    name.starts_with(b"DVM_") && !SILENT.contains(&name)
}

/// Variables that ask for nothing as long as libdvm does not run; the last four are the compilers'.
const SILENT: [&[u8]; 6] = [b"DVM_WORKERS", b"DVM_VERBOSE", b"DVM_CC", b"DVM_FC", b"DVM_FLANG", b"DVM_PREFIX"];

/// @brief End an entry whose time is wanted.
///
/// @param[in,out] region  the record that the entry was begun with
/// @param[in]     entry   as dvm_region_enter has written it
/// @retval DVM_SUCCESS              the time is noted
/// @retval DVM_ERR_ARGUMENT         region or entry is NULL, the region's size is not that of this version, or the entry
///                                  is none that dvm_region_enter has written
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_region_leave(
    region: Arg<*mut dvm_region_t, Shared>,
    entry: Arg<*const dvm_region_entry_t>,
) -> dvm_retcode_t {
    let ended = graph::now();
    running("dvm_region_leave", |call| {
        let region = region.get("region")?.known()?;
        let &dvm_region_entry_t { way, work, begun } = entry.get("entry")?;
        let class = usize::try_from(work).ok().filter(|&class| class < CLASSES && begun != 0 && begun <= ended);
        let class = class.ok_or_else(|| Error::argument("`entry` was not written by dvm_region_enter for its time"))?;
        let way = if way == 0 { RegionWay::Plain } else { RegionWay::Tiled };
        let learner = region.record.learner(call, || region.name())?;
        learner.leave(call, RegionEntry { way, class, timed: true }, ended - begun);
        Ok(())
    })
}

/// The greatest multiple that a size may be asked to be of.
const MOST_MULTIPLE: i64 = 1 << 16;

/// @brief Choose the tile sizes of a phase, as dvm_graph_sizes does, and by the measured time of its iterations: few
/// iterations that take long become several tiles. Equal questions in a row are answered at once.
///
/// @param[in,out] region     the record of the phase
/// @param[in]     dimension  as for dvm_graph_sizes, as are all that follow
/// @param[in]     extent     the number of values of each coordinate
/// @param[in]     carried    flags of the coordinates
/// @param[in]     footprint  bytes that a tile touches
/// @param[in]     context    the first argument of footprint
/// @param[in,out] sizes      the sizes, 0 where one is wanted, -m where a multiple of m is wanted: as many values as a block
///                           that stays in registers has. A tile of such blocks may touch more bytes. DVM_TILE may give
///                           any size, and a size is never above the extent
/// @retval DVM_SUCCESS              sizes is written
/// @retval DVM_ERR_ARGUMENT         as for dvm_graph_sizes, but for negative sizes down to -65536, or the region's size is not
///                                  that of this version
/// @retval DVM_ERR_TASK             footprint threw, or left by pthread_exit
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_region_sizes(
    region: Arg<*mut dvm_region_t, Shared>,
    dimension: c_int,
    extent: Arg<*const i64>,
    carried: Arg<*const c_int>,
    footprint: Option<unsafe extern "C" fn(context: *mut c_void, sizes: *const i64) -> i64>,
    context: Arg<*mut c_void>,
    sizes: Arg<*mut i64>,
) -> dvm_retcode_t {
    running("dvm_region_sizes", |call| {
        let region = region.get("region")?.known()?;
        let dimension = super::graph::dimension(dimension)?;
        let (extent, wanted) = (extent.list(dimension, "extent")?, sizes.list(dimension, "sizes")?);
        let learner = region.record.learner(call, || region.name())?;
        let point = learner.point_time(extent.iter().fold(1, |work: i64, &extent| work.saturating_mul(extent)));
        let cost = TileCost { point, processes: crate::across::processes_of_body() };
        let (name, context) = (|| region.name().region, context.pointer());
        if let Some(known) = learner.known_sizes(extent, wanted, cost) {
            note_tiles(call, name, (extent, &known[..dimension]), footprint, context)?;
            return sizes.write_all(&known[..dimension], "sizes");
        }
        let (fixed, unit) = fixed_and_unit(wanted);
        let asked = (extent, &carried, fixed.as_slice(), unit.as_slice(), cost);
        let chosen = sizes_of(call, &name(), asked, footprint, context)?;
        learner.keep_sizes(extent, wanted, cost, &chosen);
        note_tiles(call, name, (extent, &chosen), footprint, context)?;
        sizes.write_all(&chosen, "sizes")
    })
}

/// Sizes and what chosen ones are multiples of; a size that means neither stays as it is.
fn fixed_and_unit(wanted: &[i64]) -> (Vec<i64>, Vec<i64>) {
    let one = |&size: &i64| if (-MOST_MULTIPLE..0).contains(&size) { (0, -size) } else { (size, 1) };
    wanted.iter().map(one).unzip()
}

/// @brief Run a graph as dvm_graph_run does, for a region: if its tiles wait for nothing, or are a box of a few thousand,
/// the calling thread runs some of them, with the workers' help.
///
/// @param[in] graph  the graph; it and all that it points to must stay as they are until the call returns
/// @retval DVM_SUCCESS              every tile has run
/// @retval DVM_ERR_ARGUMENT         as for dvm_graph_run
/// @retval DVM_ERR_TASK             a tile failed, or one of the graph's functions threw: other tiles may not have run
/// @retval DVM_ERR_STATE            as for dvm_graph_run
/// @retval DVM_ERR_IN_TASK          called inside a task or a tile
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running, or dvm_finalize has begun
///
/// Thread safety: any thread that is no worker, several at once. Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_region_run(graph: Arg<*const dvm_graph_t>) -> dvm_retcode_t {
    running("dvm_region_run", |call| graph::execute_region(call, read(&graph)?))
}

#[cfg(test)]
mod tests {
    use super::asks;

    #[test]
    fn variables_of_the_compilers_ask_for_nothing_at_run_time() {
        let all = ["DVM_WORKERS", "DVM_CC", "DVM_PREFIX", "DVM_TILE", "DVM_TUNE", "PATH"];
        let asking: Vec<&str> = all.into_iter().filter(|name| asks(name.as_bytes())).collect();
        assert_eq!(asking, ["DVM_TILE", "DVM_TUNE"]);
    }
}
