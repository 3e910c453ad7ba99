//! Distributions: where the elements of an array are.
//!
//! A distribution says, for each dimension j of an array, t_j = offset + sum coef_i * a_i: which element lies at which
//! coordinates. Architectural variables together name a memory, data variables a place in it.
//!
//! # For every function
//! Thread safety: any thread, any task, any time.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int};

use dvm_redist::distribution::{json, layouts};
use dvm_redist::{Affine, Bound, Dimension, Distribution, Parameters, Variable};

use super::guard::{guarded, making};
use super::{Arg, dvm_retcode_t};
use crate::error::{Error, dvm_retcode_t as Code};
use crate::redistribution::{Handles, Layout, refused};

/// A distribution, by handle. Distributions and plans may be made, asked and freed at any time, also while libdvm is not
/// running.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dvm_distribution_t {
    /// A number that is never given twice; 0 is never given.
    pub number: u64,
}
super::handle!(dvm_distribution_t);

/// All distributions, by handle.
pub(super) static DISTRIBUTIONS: Handles<Layout, dvm_distribution_t> = Handles::new("distribution");

/// The greatest number of dimensions of an array that is distributed.
pub const DVM_DISTRIBUTION_MAX_DIMENSION: usize = 16;

/// Any memory of a distribution, for dvm_distribution_set_strides.
pub const DVM_DISTRIBUTION_EVERY_MEMORY: i64 = -1;

/// Refuses a number of dimensions that no array has.
fn dimensions(count: c_int) -> Result<usize, Error> {
    usize::try_from(count).ok().filter(|d| (1..=DVM_DISTRIBUTION_MAX_DIMENSION).contains(d)).ok_or_else(|| {
        Error::argument(format!("`dimensions` is {count}: an array has 1 to {DVM_DISTRIBUTION_MAX_DIMENSION}"))
    })
}

/// The distribution of independent dimensions; the number of its dimension distinguishes a variable.
fn product(
    each: impl Iterator<Item = dvm_redist::Result<Dimension>>,
    room: &BTreeMap<String, (i64, i64)>,
) -> Result<Layout, Error> {
    let dimensions = each
        .enumerate()
        .map(|(j, d)| {
            d.map(|d| layouts::suffixed(d, &format!("_{j}"))).map_err(|e| e.within(&format!("dimension {j}")))
        })
        .collect::<dvm_redist::Result<Vec<_>>>();
    let distribution = Distribution { dimensions: dimensions.map_err(|e| refused(&e))?, layout: None };
    Layout::with_room(&distribution, &Parameters::new(), room)
}

/// @brief Make a distribution of a text: the text form, or the JSON form when it begins with a brace.
///
/// The text form has a line for each dimension, "t = offset", followed by a line for each of its variables,
/// "+ coef*name arch|data level lower .. upper"; a last line "layout name, name" lists the data variables, slowest
/// first. Bounds may use other variables and parameters: "max(0, -8*p) .. min(7, (99 - 8*p)/2)". A semicolon ends a
/// line, too.
///
/// @param[in]  text          the distribution
/// @param[in]  parameters    values of the names that the text uses and does not declare, as "N=100, P=4"; may be
///                           NULL
/// @param[out] distribution  the handle of the new distribution
/// @retval DVM_SUCCESS       distribution is written
/// @retval DVM_ERR_ARGUMENT  text or distribution is NULL, the text is not understood, uses unknown names or bounds
///                           that refer to each other in a circle, or its numbers exceed 2^62: dvm_last_error names
///                           the place
///
/// Source: added; the second paper's definition of a distribution.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_parse(
    text: Arg<*const c_char>,
    parameters: Arg<*const c_char>,
    distribution: Arg<*mut dvm_distribution_t>,
) -> dvm_retcode_t {
    making("dvm_distribution_parse", &DISTRIBUTIONS, (distribution, "distribution"), || {
        text.require("text")?;
        let (text, values) = (text.text()?.unwrap_or_default(), parameters.text()?.unwrap_or_default());
        crate::memory::at_hand((text.len() + values.len()).saturating_mul(BYTES_PER_TEXT_BYTE))?;
        Layout::new(&parse(&text)?, &values_of(&values)?)
    })
}

/// The most bytes that reading allocates per byte of a text.
const BYTES_PER_TEXT_BYTE: usize = 64;

fn parse(text: &str) -> Result<Distribution, Error> {
    let found = if text.trim_start().starts_with('{') { json::parse_distribution(text) } else { text.parse() };
    let found = found.map_err(|e| refused(&e))?;
    if found.dimensions.is_empty() || found.dimensions.len() > DVM_DISTRIBUTION_MAX_DIMENSION {
        let count = found.dimensions.len();
        let most = DVM_DISTRIBUTION_MAX_DIMENSION;
        return Err(Error::argument(format!("the text has {count} dimensions: an array has 1 to {most}")));
    }
    Ok(found)
}

/// Reads "name=value, name=value".
fn values_of(text: &str) -> Result<Parameters, Error> {
    let mut values = Parameters::new();
    for part in text.split([',', ';', ' ', '\n']).filter(|part| !part.is_empty()) {
        let pair = part.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
        let Some((name, value)) = pair.filter(|(name, _)| dvm_redist::distribution::is_name(name)) else {
            return Err(Error::argument(format!("`parameters`: '{part}' is not of the form name=integer")));
        };
        if values.insert(name.to_owned(), value).is_some() {
            return Err(Error::argument(format!("`parameters`: '{name}' occurs twice")));
        }
    }
    Ok(values)
}

/// @brief Make a distribution of arrays: one entry per variable, with constant bounds.
///
/// Variables are listed in the order of memories and places: of the architectural ones the last runs fastest through
/// the memories' numbers, of the data variables of one dimension the last runs fastest through its local indices.
///
/// @param[in]  dimensions    the number of dimensions of the array, 1 to DVM_DISTRIBUTION_MAX_DIMENSION
/// @param[in]  offset        the origin of each dimension; NULL: all 0
/// @param[in]  elements      the number of elements of each dimension: what lies outside 0 .. elements-1 does not
///                           exist; NULL: what the variables reach
/// @param[in]  variables     the number of variables, 0 or more
/// @param[in]  dimension     the dimension of each variable, from 0
/// @param[in]  architectural for each variable 1 when it names memories, 0 when it names places
/// @param[in]  coef          the coefficient of each variable, any sign; 0 replicates
/// @param[in]  lower         the least value of each variable
/// @param[in]  upper         the greatest value of each variable (it belongs to the range)
/// @param[out] distribution  the handle of the new distribution
/// @retval DVM_SUCCESS       distribution is written
/// @retval DVM_ERR_ARGUMENT  distribution is NULL, an array is NULL with variables above 0, a count or a dimension is
///                           out of range, elements is negative, or a number exceeds 2^62
///
/// Source: added; the second paper's definition of a distribution.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "arrays, as C and Fortran programs have them")]
pub unsafe extern "C" fn dvm_distribution_make(
    dimensions: c_int,
    offset: Arg<*const i64>,
    elements: Arg<*const i64>,
    variables: c_int,
    dimension: Arg<*const c_int>,
    architectural: Arg<*const c_int>,
    coef: Arg<*const i64>,
    lower: Arg<*const i64>,
    upper: Arg<*const i64>,
    distribution: Arg<*mut dvm_distribution_t>,
) -> dvm_retcode_t {
    making("dvm_distribution_make", &DISTRIBUTIONS, (distribution, "distribution"), || {
        let n = self::dimensions(dimensions)?;
        let count = super::guard::non_negative(variables, "variables")?;
        let parts = Explicit {
            offset: offset.optional_list(n, "offset")?,
            elements: elements.optional_list(n, "elements")?,
            dimension: dimension.list(count, "dimension")?,
            architectural: architectural.list(count, "architectural")?,
            coef: coef.list(count, "coef")?,
            lower: lower.list(count, "lower")?,
            upper: upper.list(count, "upper")?,
        };
        Layout::new(&parts.distribution(n)?, &Parameters::new())
    })
}

/// The array arguments of `dvm_distribution_make`.
struct Explicit<'a> {
    offset: Option<&'a [i64]>,
    elements: Option<&'a [i64]>,
    dimension: &'a [c_int],
    architectural: &'a [c_int],
    coef: &'a [i64],
    lower: &'a [i64],
    upper: &'a [i64],
}

impl Explicit<'_> {
    fn distribution(&self, dimensions: usize) -> Result<Distribution, Error> {
        let origin = |j: usize| self.offset.map_or(0, |o| o[j]);
        let mut found = Distribution {
            dimensions: (0..dimensions)
                .map(|j| Dimension { offset: origin(j).into(), variables: Vec::new() })
                .collect(),
            layout: None,
        };
        for (i, &j) in self.dimension.iter().enumerate() {
            let Some(d) = usize::try_from(j).ok().and_then(|j| found.dimensions.get_mut(j)) else {
                return Err(Error::argument(format!("variable {i} has dimension {j} of {dimensions}")));
            };
            let name = format!("v{i}");
            let arch = match self.architectural[i] {
                0 => false,
                1 => true,
                other => return Err(Error::argument(format!("architectural[{i}] is {other}: give 0 or 1"))),
            };
            let make = if arch { Variable::arch } else { Variable::data };
            d.variables.push(make(&name, self.coef[i], self.lower[i], self.upper[i]));
        }
        for (j, d) in found.dimensions.iter_mut().enumerate() {
            if let Some(elements) = self.elements {
                clip(d, elements[j]).map_err(|e| Error::argument(format!("dimension {j}: {}", e.message())))?;
            }
        }
        Ok(found)
    }
}

/// Bounds the last variable of a dimension so that only elements 0 .. n-1 remain.
fn clip(d: &mut Dimension, n: i64) -> Result<(), Error> {
    if n < 0 {
        return Err(Error::argument(format!("{n} elements: give 0 or more")));
    }
    let Some(last) = d.variables.iter().rposition(|v| v.coef != 0) else {
        if !(0..n).contains(&d.offset.constant) {
            return Err(Error::argument("its only element lies outside of the array, and no variable can be bounded"));
        }
        return Ok(());
    };
    let c = d.variables[last].coef;
    let sign = c.signum();
    // 0 <= rest + c * a <= n - 1, where rest is the offset and the other variables.
    let form = |constant: i64, sign: i64| -> Result<Bound, Error> {
        let far = || Error::argument("a bound exceeds 2^62");
        let constant = constant.checked_sub(sign.checked_mul(d.offset.constant).ok_or_else(far)?).ok_or_else(far)?;
        let mut affine = Affine::constant(constant);
        for (i, v) in d.variables.iter().enumerate().filter(|(i, v)| *i != last && v.coef != 0) {
            debug_assert!(i != last);
            affine = affine.plus(v.coef.checked_mul(-sign).ok_or_else(far)?, &v.name);
        }
        Ok(Bound { affine, divisor: c.checked_abs().ok_or_else(far)? })
    };
    let (lower, upper) = if sign > 0 { (form(0, 1)?, form(n - 1, 1)?) } else { (form(1 - n, -1)?, form(0, -1)?) };
    d.variables[last].lower.push(lower);
    d.variables[last].upper.push(upper);
    Ok(())
}

/// @brief Make a block-cyclic distribution: in each dimension blocks are dealt round-robin to a line of processes.
///
/// Block size 1 is the cyclic distribution. Memories are numbered row-major over the grid of processes.
///
/// @param[in]  dimensions    the number of dimensions of the array, 1 to DVM_DISTRIBUTION_MAX_DIMENSION
/// @param[in]  elements      the number of elements of each dimension
/// @param[in]  block         the block size in each dimension; 0: one block per process, of equal size
/// @param[in]  processes     the number of processes in each dimension
/// @param[out] distribution  the handle of the new distribution
/// @retval DVM_SUCCESS       distribution is written
/// @retval DVM_ERR_ARGUMENT  a pointer is NULL, a number is negative, processes is 0, or an extent exceeds 2^62
///
/// Source: added; the second paper, block-cyclic distributions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_block_cyclic(
    dimensions: c_int,
    elements: Arg<*const i64>,
    block: Arg<*const i64>,
    processes: Arg<*const i64>,
    distribution: Arg<*mut dvm_distribution_t>,
) -> dvm_retcode_t {
    making("dvm_distribution_block_cyclic", &DISTRIBUTIONS, (distribution, "distribution"), || {
        let n = self::dimensions(dimensions)?;
        let (elements, block) = (elements.list(n, "elements")?, block.list(n, "block")?);
        let processes = processes.list(n, "processes")?;
        let each = (0..n).map(|j| match block[j] {
            0 => layouts::block(elements[j], processes[j]),
            size => layouts::block_cyclic(elements[j], processes[j], size),
        });
        product(each, &BTreeMap::new())
    })
}

/// @brief Make a distribution in blocks that overlap: each memory also holds elements of its neighbours' blocks.
///
/// Blocks are of equal size (the last ones may be shorter). At the ends of the array there is no halo, but its room
/// stays: local index `before` is the first element of the block in every memory.
///
/// @param[in]  dimensions    the number of dimensions of the array, 1 to DVM_DISTRIBUTION_MAX_DIMENSION
/// @param[in]  elements      the number of elements of each dimension
/// @param[in]  processes     the number of processes in each dimension
/// @param[in]  before        the width of the halo at the lower side in each dimension
/// @param[in]  after         the width of the halo at the upper side in each dimension
/// @param[out] distribution  the handle of the new distribution
/// @retval DVM_SUCCESS       distribution is written
/// @retval DVM_ERR_ARGUMENT  a pointer is NULL, a number is negative, processes is 0, or an extent exceeds 2^62
///
/// Source: added; the second paper, distributions with overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_halo(
    dimensions: c_int,
    elements: Arg<*const i64>,
    processes: Arg<*const i64>,
    before: Arg<*const i64>,
    after: Arg<*const i64>,
    distribution: Arg<*mut dvm_distribution_t>,
) -> dvm_retcode_t {
    making("dvm_distribution_halo", &DISTRIBUTIONS, (distribution, "distribution"), || {
        let n = self::dimensions(dimensions)?;
        let (elements, processes) = (elements.list(n, "elements")?, processes.list(n, "processes")?);
        let (before, after) = (before.list(n, "before")?, after.list(n, "after")?);
        let each: dvm_redist::Result<Vec<Dimension>> =
            (0..n).map(|j| layouts::halo(elements[j], processes[j], before[j], after[j])).collect();
        let each = each.map_err(|e| refused(&e))?;
        // The constructor has checked the numbers: nothing overflows.
        let room = (0..n).map(|j| {
            let block = (elements[j] / processes[j] + i64::from(elements[j] % processes[j] > 0)).max(1);
            (format!("l_{j}"), (-before[j], block - 1 + after[j]))
        });
        product(each.into_iter().map(Ok), &room.collect())
    })
}

/// @brief Make the distribution of a ScaLAPACK array descriptor.
///
/// Memory p * columns + q is that of the process in row p and column q of the grid. Local arrays are column-major
/// with the descriptor's leading dimension, which must do for every process; dvm_distribution_set_strides gives one
/// memory another.
///
/// @param[in]  descriptor    the nine integers DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_; CTXT_ is not
///                           looked at
/// @param[in]  rows          the number of rows of the process grid
/// @param[in]  columns       the number of its columns
/// @param[out] distribution  the handle of the new distribution
/// @retval DVM_SUCCESS       distribution is written
/// @retval DVM_ERR_ARGUMENT  a pointer is NULL, DTYPE_ is not 1, a number is out of range, or LLD_ is less than the
///                           local rows of some process
///
/// Source: added; ScaLAPACK's array descriptor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_scalapack(
    descriptor: Arg<*const c_int>,
    rows: c_int,
    columns: c_int,
    distribution: Arg<*mut dvm_distribution_t>,
) -> dvm_retcode_t {
    making("dvm_distribution_scalapack", &DISTRIBUTIONS, (distribution, "distribution"), || {
        let given: Vec<i64> = descriptor.list(9, "descriptor")?.iter().map(|&v| v.into()).collect();
        scalapack(&given, rows.into(), columns.into())
    })
}

/// @brief The same for a descriptor of 64-bit integers.
///
/// @param[in]  descriptor    as in dvm_distribution_scalapack
/// @param[in]  rows          the number of rows of the process grid
/// @param[in]  columns       the number of its columns
/// @param[out] distribution  the handle of the new distribution
/// @retval DVM_SUCCESS       distribution is written
/// @retval DVM_ERR_ARGUMENT  as in dvm_distribution_scalapack
///
/// Source: added; ScaLAPACK's array descriptor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_scalapack_64(
    descriptor: Arg<*const i64>,
    rows: i64,
    columns: i64,
    distribution: Arg<*mut dvm_distribution_t>,
) -> dvm_retcode_t {
    making("dvm_distribution_scalapack_64", &DISTRIBUTIONS, (distribution, "distribution"), || {
        scalapack(descriptor.list(9, "descriptor")?, rows, columns)
    })
}

fn scalapack(given: &[i64], rows: i64, columns: i64) -> Result<Layout, Error> {
    let mut descriptor = [0; 9];
    descriptor.copy_from_slice(given);
    let distribution = layouts::scalapack(&descriptor, rows, columns).map_err(|e| refused(&e))?;
    let layout = Layout::new(&distribution, &Parameters::new())?.turned(&[descriptor[6], descriptor[7]]);
    let mut most = 0;
    for row in 0..rows.min(layout.memories() / columns.max(1)) {
        most = most.max(layout.extents(row * columns)?[0]);
    }
    let leading = descriptor[8];
    if leading < most {
        return Err(Error::argument(format!(
            "descriptor[8] (LLD_) is {leading}, but a process has {most} local rows: give the largest of all processes"
        )));
    }
    if layout.memories() == 0 {
        return Ok(layout);
    }
    layout.strided(None, &[1, leading])
}

/// @brief Say in which order the dimensions of the local arrays run, the slowest first; the arrays are dense.
///
/// The order 0, 1 is row-major (what a new distribution has), 1, 0 column-major. Plans that were made before keep
/// what they had.
///
/// @param[in] distribution  the distribution
/// @param[in] order         the dimensions from 0, each once
/// @param[in] count         their number
/// @retval DVM_SUCCESS       places are counted so from now on
/// @retval DVM_ERR_ARGUMENT  order is NULL, or does not name each dimension once
/// @retval DVM_ERR_ID        the distribution is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_set_order(
    distribution: dvm_distribution_t,
    order: Arg<*const c_int>,
    count: c_int,
) -> dvm_retcode_t {
    guarded("dvm_distribution_set_order", || {
        let order = order.list(self::dimensions(count)?, "order")?;
        // A negative number is not a dimension, and is refused as one that does not exist.
        let order: Vec<usize> = order.iter().map(|&j| usize::try_from(j).unwrap_or(usize::MAX)).collect();
        DISTRIBUTIONS.replace(distribution, |layout| layout.ordered(&order))
    })
}

/// @brief Say how far apart neighbours are in the local array of a memory, or of all: leading dimensions, paddings.
///
/// Element (i, j, ...) of a memory lies at i * strides[0] + j * strides[1] + ..., in elements. Plans that were made
/// before keep what they had.
///
/// @param[in] distribution  the distribution
/// @param[in] memory        the number of the memory, or DVM_DISTRIBUTION_EVERY_MEMORY
/// @param[in] strides       one per dimension, positive
/// @param[in] count         their number
/// @retval DVM_SUCCESS       places are counted so from now on
/// @retval DVM_ERR_ARGUMENT  strides is NULL, there is no such memory, the number of strides is wrong, or two
///                           elements would have one place
/// @retval DVM_ERR_STATE     one memory is to have strides, but the layout interleaves dimensions
/// @retval DVM_ERR_ID        the distribution is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_set_strides(
    distribution: dvm_distribution_t,
    memory: i64,
    strides: Arg<*const i64>,
    count: c_int,
) -> dvm_retcode_t {
    guarded("dvm_distribution_set_strides", || {
        let strides = strides.list(self::dimensions(count)?, "strides")?;
        let memory = (memory != DVM_DISTRIBUTION_EVERY_MEMORY).then_some(memory);
        DISTRIBUTIONS.replace(distribution, |layout| layout.strided(memory, strides))
    })
}

/// @brief Say which process each memory belongs to, for plans with DVM_REDISTRIBUTION_COLLECTIVE.
///
/// @param[in] distribution  the distribution
/// @param[in] processes     for each memory the index of its process in the job
/// @param[in] count         their number: that of the memories
/// @retval DVM_SUCCESS       plans that are made from now on see it so
/// @retval DVM_ERR_ARGUMENT  processes is NULL, an index is negative or too large, or count is not the number of memories
/// @retval DVM_ERR_ID        the distribution is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_set_processes(
    distribution: dvm_distribution_t,
    processes: Arg<*const i64>,
    count: i64,
) -> dvm_retcode_t {
    guarded("dvm_distribution_set_processes", || {
        let processes = processes.list(length(count, "count")?, "processes")?;
        DISTRIBUTIONS.replace(distribution, |layout| layout.held_by(processes))
    })
}

fn length(count: i64, name: &str) -> Result<usize, Error> {
    usize::try_from(count).map_err(|_| Error::argument(format!("`{name}` is {count}: it must not be negative")))
}

/// The processes of a grid are counted row by row: BLACS's order 'Row'.
pub const DVM_GRID_BY_ROWS: c_int = 0;

/// The processes of a grid are counted column by column: BLACS's order 'Col'.
pub const DVM_GRID_BY_COLUMNS: c_int = 1;

/// @brief Say that the memories belong to the processes of a grid, one to each, as Cblacs_gridinit numbers them.
///
/// The grid's coordinates are those of the distribution's memories: for dvm_distribution_scalapack its rows and columns.
///
/// @param[in] distribution  the distribution
/// @param[in] order         DVM_GRID_BY_ROWS or DVM_GRID_BY_COLUMNS
/// @param[in] processes     for each number in the grid the index of a process in the job, as when the grid is one of a
///                          communicator (dvm_mpi.h: dvm_distribution_set_grid_mpi); NULL: the numbers themselves
/// @param[in] count         the length of processes, at least the number of memories; unused when it is NULL
/// @retval DVM_SUCCESS       plans that are made from now on see it so
/// @retval DVM_ERR_ARGUMENT  order is unknown, or count is too small
/// @retval DVM_ERR_ID        the distribution is unknown or has been freed
///
/// Source: added; ScaLAPACK's grids.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_set_grid(
    distribution: dvm_distribution_t,
    order: c_int,
    processes: Arg<*const i64>,
    count: i64,
) -> dvm_retcode_t {
    guarded("dvm_distribution_set_grid", || {
        if order != DVM_GRID_BY_ROWS && order != DVM_GRID_BY_COLUMNS {
            return Err(Error::argument(format!("`order` is {order}: give DVM_GRID_BY_ROWS or DVM_GRID_BY_COLUMNS")));
        }
        let processes = processes.optional_list(length(count, "count")?, "processes")?;
        DISTRIBUTIONS.replace(distribution, |layout| {
            let mut numbers = layout.grid_numbers(order == DVM_GRID_BY_COLUMNS)?;
            if let Some(processes) = processes {
                let too_few = || Error::argument(format!("{count} processes for {} memories", layout.memories()));
                for number in &mut numbers {
                    *number = *processes.get(*number as usize).ok_or_else(too_few)?;
                }
            }
            layout.held_by(&numbers)
        })
    })
}

/// @brief The number of memories of a distribution, those that hold nothing among them.
///
/// @param[in]  distribution  the distribution
/// @param[out] memories      their number; it may be 0 when no element is anywhere
/// @retval DVM_SUCCESS       memories is written
/// @retval DVM_ERR_ARGUMENT  memories is NULL
/// @retval DVM_ERR_ID        the distribution is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_memories(
    distribution: dvm_distribution_t,
    memories: Arg<*mut i64>,
) -> dvm_retcode_t {
    guarded("dvm_distribution_memories", || {
        let memories = memories.result("memories")?;
        let count = DISTRIBUTIONS.get(distribution)?.memories();
        memories.write(count);
        Ok(())
    })
}

/// @brief The elements that a memory must have room for.
///
/// @param[in]  distribution  the distribution
/// @param[in]  memory        the number of the memory, from 0
/// @param[out] elements      one more than the greatest place, in elements; 0 when the memory holds nothing
/// @retval DVM_SUCCESS       elements is written
/// @retval DVM_ERR_ARGUMENT  elements is NULL, there is no such memory, or it exceeds 2^63 elements
/// @retval DVM_ERR_ID        the distribution is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_size(
    distribution: dvm_distribution_t,
    memory: i64,
    elements: Arg<*mut i64>,
) -> dvm_retcode_t {
    guarded("dvm_distribution_size", || {
        let elements = elements.result("elements")?;
        let size = DISTRIBUTIONS.get(distribution)?.size(memory)?;
        elements.write(size);
        Ok(())
    })
}

/// @brief How many local indices a memory has in each dimension.
///
/// @param[in]  distribution  the distribution
/// @param[in]  memory        the number of the memory, from 0
/// @param[out] extents       one per dimension, all 0 when the memory holds nothing
/// @param[in]  count         the length of extents
/// @retval DVM_SUCCESS       extents is written
/// @retval DVM_ERR_ARGUMENT  extents is NULL, or there is no such memory
/// @retval DVM_ERR_SIZE      count is not the number of dimensions
/// @retval DVM_ERR_ID        the distribution is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_extents(
    distribution: dvm_distribution_t,
    memory: i64,
    extents: Arg<*mut i64>,
    count: c_int,
) -> dvm_retcode_t {
    guarded("dvm_distribution_extents", || {
        extents.require("extents")?;
        let layout = DISTRIBUTIONS.get(distribution)?;
        write_all(&layout.extents(memory)?, &extents, count)
    })
}

/// @brief How far apart neighbours are in the local array of a memory, in each dimension.
///
/// @param[in]  distribution  the distribution
/// @param[in]  memory        the number of the memory, from 0
/// @param[out] strides       one per dimension, in elements
/// @param[in]  count         the length of strides
/// @retval DVM_SUCCESS       strides is written
/// @retval DVM_ERR_ARGUMENT  strides is NULL, or there is no such memory
/// @retval DVM_ERR_SIZE      count is not the number of dimensions
/// @retval DVM_ERR_STATE     the layout interleaves dimensions, so that there are no such strides
/// @retval DVM_ERR_ID        the distribution is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_distribution_strides(
    distribution: dvm_distribution_t,
    memory: i64,
    strides: Arg<*mut i64>,
    count: c_int,
) -> dvm_retcode_t {
    guarded("dvm_distribution_strides", || {
        strides.require("strides")?;
        let layout = DISTRIBUTIONS.get(distribution)?;
        write_all(layout.strides(memory)?, &strides, count)
    })
}

/// Writes one number per dimension.
fn write_all(values: &[i64], into: &Arg<*mut i64>, count: c_int) -> Result<(), Error> {
    if usize::try_from(count) != Ok(values.len()) {
        let text = format!("`count` is {count}: the distribution has {} dimensions", values.len());
        return Err(Error::new(Code::DVM_ERR_SIZE, text));
    }
    into.write_all(values, "count")
}

/// @brief Free a distribution. Plans that were made of it stay.
///
/// @param[in] distribution  the distribution
/// @retval DVM_SUCCESS  its handle is stale now
/// @retval DVM_ERR_ID   the distribution is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_distribution_free(distribution: dvm_distribution_t) -> dvm_retcode_t {
    guarded("dvm_distribution_free", || DISTRIBUTIONS.remove(distribution).map(drop))
}
