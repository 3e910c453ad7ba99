//! Ranks: the coordinates of the processing units.
//!
//! # For every function
//! Thread safety: any thread, any task.
//! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

use std::ffi::c_int;

use super::{Arg, ConstRankArg, DVM_MAX_RANK_DEPTH, RankArg, dvm_retcode_t, guard};
use crate::error::Error;

/// Writes the first `size` components, after checking that the array can hold the rank and is not longer than allowed.
///
/// # Safety
/// `array` is NULL or the address of `size` numbers (the caller of the C function guarantees it).
fn write_components(
    array: &RankArg,
    name: &str,
    size: c_int,
    dimension: usize,
    components: &[u64; DVM_MAX_RANK_DEPTH],
) -> Result<(), Error> {
    array.require(name)?;
    // The name is put together for a message alone: programs ask for a rank before each task.
    let Ok(size) = usize::try_from(size) else {
        return guard::non_negative(size, &format!("{name}_size")).map(drop);
    };
    if size < dimension || size > DVM_MAX_RANK_DEPTH {
        return Err(Error::new(
            dvm_retcode_t::DVM_ERR_SIZE,
            format!(
                "`{name}_size` is {size}: ranks have {dimension} components here and at most {DVM_MAX_RANK_DEPTH}; \
                 a dvm_rank_t and DVM_MAX_RANK_DEPTH always fit"
            ),
        ));
    }
    array.write_components(&components[..size], name)
}

/// @brief The number of components of a rank.
///
/// It is the same on all processes and at most DVM_MAX_RANK_DEPTH.
///
/// @param[out] dimension  the number of components
/// @retval DVM_SUCCESS              dimension is written
/// @retval DVM_ERR_ARGUMENT         dimension is NULL
///
/// Source: report, section 4.2.4, ranking.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_rank_dimension(dimension: Arg<*mut c_int>) -> dvm_retcode_t {
    guard::running("dvm_rank_dimension", |call| {
        dimension.result("dimension")?.write(call.rank_dimension() as c_int);
        Ok(())
    })
}

/// @brief The rank of the executor: in a task, of the processing unit that runs it; elsewhere, of the first
/// processing unit of the calling process.
///
/// Component 0 is the host; the others are the levels of the machine tree that branch, outermost first.
///
/// @param[out] rank_array      the components; those beyond the dimension become 0
/// @param[in]  rank_array_size the number of components to write, from the dimension to DVM_MAX_RANK_DEPTH
/// @retval DVM_SUCCESS              rank_array is written
/// @retval DVM_ERR_ARGUMENT         rank_array is NULL, or rank_array_size is negative
/// @retval DVM_ERR_SIZE             rank_array_size is below the dimension or above DVM_MAX_RANK_DEPTH
///
/// Source: report, section 4.2.4, ranking.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_rank_get(rank_array: RankArg, rank_array_size: c_int) -> dvm_retcode_t {
    guard::running("dvm_rank_get", |call| {
        let rank = call.rank_of(call.executor().unwrap_or(0));
        write_components(&rank_array, "rank_array", rank_array_size, call.rank_dimension(), rank.raw())
    })
}

/// @brief For each component of a rank, the largest number of siblings.
///
/// @param[out] size_array      the sizes; those beyond the dimension become 0
/// @param[in]  size_array_size the number of sizes to write, from the dimension to DVM_MAX_RANK_DEPTH
/// @retval DVM_SUCCESS              size_array is written
/// @retval DVM_ERR_ARGUMENT         size_array is NULL, or size_array_size is negative
/// @retval DVM_ERR_SIZE             size_array_size is below the dimension or above DVM_MAX_RANK_DEPTH
///
/// Source: report, section 4.2.4, ranking.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_rank_size(size_array: RankArg, size_array_size: c_int) -> dvm_retcode_t {
    guard::running("dvm_rank_size", |call| {
        write_components(&size_array, "size_array", size_array_size, call.rank_dimension(), &call.rank_sizes())
    })
}

/// @brief The number of processing units of all processes together.
///
/// @param[out] count  the number of processing units, at least 1
/// @retval DVM_SUCCESS              count is written
/// @retval DVM_ERR_ARGUMENT         count is NULL
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_rank_count(count: Arg<*mut u64>) -> dvm_retcode_t {
    guard::running("dvm_rank_count", |call| {
        count.result("count")?.write(call.rank_count() as u64);
        Ok(())
    })
}

/// @brief The rank of the processing unit with this index, so that a program can walk over all of them.
///
/// @param[in]  index           0 to the count of dvm_rank_count, exclusive
/// @param[out] rank_array      the components; those beyond the dimension become 0
/// @param[in]  rank_array_size the number of components to write, from the dimension to DVM_MAX_RANK_DEPTH
/// @retval DVM_SUCCESS              rank_array is written
/// @retval DVM_ERR_RANK             no processing unit has this index
/// @retval DVM_ERR_ARGUMENT         rank_array is NULL, or rank_array_size is negative
/// @retval DVM_ERR_SIZE             rank_array_size is below the dimension or above DVM_MAX_RANK_DEPTH
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_rank_at(index: u64, rank_array: RankArg, rank_array_size: c_int) -> dvm_retcode_t {
    guard::running("dvm_rank_at", |call| {
        let count = call.rank_count();
        let number = usize::try_from(index).ok().filter(|&number| number < count).ok_or_else(|| {
            Error::new(dvm_retcode_t::DVM_ERR_RANK, format!("`index` is {index}: there are {count} processing units"))
        })?;
        let rank = call.rank_at(number);
        write_components(&rank_array, "rank_array", rank_array_size, call.rank_dimension(), rank.raw())
    })
}

/// @brief The distance of two processing units.
///
/// 0 for the same one; it grows with the depth of the smallest part of the machine that holds both, and follows the
/// machine's latency matrix where there is one. It is symmetric.
///
/// @param[in]  a         a rank, all DVM_MAX_RANK_DEPTH components
/// @param[in]  b         a rank, all DVM_MAX_RANK_DEPTH components
/// @param[out] distance  the distance, without unit
/// @retval DVM_SUCCESS              distance is written
/// @retval DVM_ERR_RANK             a or b is the rank of no processing unit
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_rank_distance(a: ConstRankArg, b: ConstRankArg, distance: Arg<*mut u64>) -> dvm_retcode_t {
    guard::running("dvm_rank_distance", |call| {
        let distance = distance.result("distance")?;
        distance.write(call.rank_distance(a.get("a")?, b.get("b")?)?);
        Ok(())
    })
}
