//! Measures the machine's caches, memory and arithmetic, with all workers at the same time.
#![allow(unsafe_code, reason = "code for the processor's own vectors, after asking whether it has them")]

use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use dvm::report::{self, CacheModel, CacheModels, Count, MemoryModel, PeakModel, Rate, SpeedModel, WorkerCache};

/// Repetitions of each measurement; the best counts.
const ROUNDS: usize = 5;
/// How long one of them takes at least.
const ROUND: Duration = Duration::from_millis(8);
/// Numbers that are read together.
const STEP: usize = 64;
/// Vectors of 64 bytes that do not wait for each other: more than the latency of an operation times those that begin
/// in a cycle.
const CHAINS: usize = 12;
/// Steps of a chain between two looks at the clock.
const STEPS: usize = 1000;
/// The least bytes that a worker reads from the memory, and the most that all workers read together.
const MEMORY: [u64; 2] = [32 << 20, 4 << 30];

/// What a worker measures: bytes per nanosecond of the three caches and the memory, and operations per nanosecond on
/// `double` and `float`. `None`: not to be told here.
type Measured = [Option<f64>; 6];

/// The speed of the machine as this process may use it.
pub fn measure() -> Result<SpeedModel, String> {
    let caches = report::worker_caches()?;
    let [l1d, l2, l3] = caches.map(|cache| cache.bytes / cache.sharers);
    // Between the levels: what the inner one cannot hold.
    let outer = |inner: u64, own: u64| (own / 2 >= inner).then_some(own / 2);
    let workers = report::workers()?;
    let sizes = [Some(l1d / 2), outer(l1d, l2), outer(l2, l3), beyond(l3, workers as u64)];
    let barrier = Barrier::new(workers);
    let all = report::on_workers(|_| measure_worker(&barrier, sizes))?;
    let least = |at: usize| {
        let speeds: Option<Vec<f64>> = all.iter().map(|measured| measured[at]).collect();
        speeds.and_then(|speeds| Rate::new(speeds.into_iter().fold(f64::INFINITY, f64::min)))
    };
    let cache = |at: usize| {
        let WorkerCache { bytes, sharers } = caches[at];
        Some(CacheModel { bytes: Count::new(bytes)?, sharers: Count::new(sharers)?, bandwidth: least(at) })
    };
    Ok(SpeedModel {
        caches: CacheModels { l1d: cache(0), l2: cache(1), l3: cache(2) },
        memory: least(3).map(|bandwidth| MemoryModel { bandwidth }),
        peak: least(4).zip(least(5)).map(|(double, single)| PeakModel { double, single }),
        ..SpeedModel::default()
    })
}

/// The bytes that a worker reads from the memory; `None`: so many workers would need too many to leave their caches.
fn beyond(cache: u64, workers: u64) -> Option<u64> {
    let bytes = cache.saturating_mul(4).max(MEMORY[0]).min(MEMORY[1] / workers);
    (bytes / 2 >= cache).then_some(bytes)
}

/// All measurements of a worker; each begins when all workers are there.
fn measure_worker(barrier: &Barrier, sizes: [Option<u64>; 4]) -> Measured {
    let mut measured = Measured::default();
    for (at, size) in sizes.into_iter().enumerate() {
        let numbers = size.and_then(numbers);
        let bytes = numbers.as_ref().map_or(0, |numbers| size_of_val(numbers.as_slice()));
        measured[at] = best(barrier, numbers, bytes, |numbers| read(numbers));
    }
    for (at, multiply) in [multiply_doubles, multiply_floats].into_iter().enumerate() {
        let operations = 2 * CHAINS * STEPS * multiply();
        measured[4 + at] = best(barrier, Some(()), operations, |()| {
            multiply();
        });
    }
    measured
}

/// The most units per nanosecond; each call of `pass` is worth `units`. `None` without something to pass over.
fn best<S>(barrier: &Barrier, mut state: Option<S>, units: usize, pass: impl Fn(&mut S)) -> Option<f64> {
    let mut most = None;
    for _ in 0..ROUNDS {
        barrier.wait();
        let Some(state) = &mut state else { continue };
        let (mut passes, mut batch, begin) = (0_u64, 1, Instant::now());
        let elapsed = loop {
            (0..batch).for_each(|_| pass(state));
            passes += batch;
            let elapsed = begin.elapsed();
            if elapsed >= ROUND {
                break elapsed;
            }
            if elapsed < ROUND / 8 {
                batch *= 2;
            }
        };
        let speed = passes as f64 * units as f64 / elapsed.as_nanos() as f64;
        most = Some(speed.max(most.unwrap_or(0.0)));
    }
    most
}

/// So many bytes of numbers, in whole steps; `None` if the memory does not hold them.
fn numbers(bytes: u64) -> Option<Vec<u64>> {
    let length = usize::try_from(bytes).ok()? / size_of::<u64>() / STEP * STEP;
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(length).ok()?;
    numbers.resize(length, 3);
    (length > 0).then_some(numbers)
}

/// Whether the processor has vectors of 64 bytes, and of 32 bytes, both with fused operations.
#[cfg(target_arch = "x86_64")]
fn vectors() -> [bool; 2] {
    let middle = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    [middle && is_x86_feature_detected!("avx512f"), middle]
}

/// Adds all numbers.
fn read(numbers: &[u64]) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx2,fma")]
        fn wide(numbers: &[u64]) {
            sum(numbers);
        }
        #[target_feature(enable = "avx2,fma")]
        fn middle(numbers: &[u64]) {
            sum(numbers);
        }
        let [has_wide, has_middle] = vectors();
        if has_wide {
            // SAFETY: `vectors` has asked this processor for all features that the function is compiled for.
            return unsafe { wide(numbers) };
        }
        if has_middle {
            // SAFETY: `vectors` has asked this processor for all features that the function is compiled for.
            return unsafe { middle(numbers) };
        }
    }
    sum(numbers);
}

#[allow(clippy::inline_always, reason = "the code has to be that of the function around it")]
#[inline(always)]
fn sum(numbers: &[u64]) {
    let mut sums = [0_u64; STEP];
    for step in numbers.chunks_exact(STEP) {
        for (sum, number) in sums.iter_mut().zip(step) {
            *sum = sum.wrapping_add(*number);
        }
    }
    black_box(sums);
}

/// A multiplication and an addition: fused only where every processor of the target does so.
macro_rules! multiply_add {
    ($number:expr, $factor:expr, $summand:expr) => {
        if cfg!(target_arch = "aarch64") { $number.mul_add($factor, $summand) } else { $number * $factor + $summand }
    };
}

/// Makes a function that multiplies and adds in `CHAINS` chains of vectors, as wide as the processor has them, and
/// returns the lanes of one.
macro_rules! chains {
    ($name:ident, $number:ty, $wide:ident $set_wide:ident, $middle:ident $set_middle:ident) => {
        fn $name() -> usize {
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::{$middle, $set_middle, $set_wide, $wide};
                #[target_feature(enable = "avx512f,avx2,fma")]
                fn wide() {
                    let (factor, summand) = (black_box($set_wide(0.5)), black_box($set_wide(0.5)));
                    let mut kept = black_box([$set_wide(1.0); CHAINS]);
                    for _ in 0..STEPS {
                        for chain in &mut kept {
                            *chain = $wide(*chain, factor, summand);
                        }
                    }
                    black_box(kept);
                }
                #[target_feature(enable = "avx2,fma")]
                fn middle() {
                    let (factor, summand) = (black_box($set_middle(0.5)), black_box($set_middle(0.5)));
                    let mut kept = black_box([$set_middle(1.0); CHAINS]);
                    for _ in 0..STEPS {
                        for chain in &mut kept {
                            *chain = $middle(*chain, factor, summand);
                        }
                    }
                    black_box(kept);
                }
                let [has_wide, has_middle] = vectors();
                if has_wide {
                    // SAFETY: `vectors` has asked this processor for all features that the function is compiled for.
                    unsafe { wide() };
                    return 64 / size_of::<$number>();
                }
                if has_middle {
                    // SAFETY: `vectors` has asked this processor for all features that the function is compiled for.
                    unsafe { middle() };
                    return 32 / size_of::<$number>();
                }
            }
            let (factor, summand) = (black_box(0.5 as $number), black_box(0.5 as $number));
            let mut kept = black_box([[1.0 as $number; 16 / size_of::<$number>()]; CHAINS]);
            for _ in 0..STEPS {
                for number in kept.as_flattened_mut() {
                    *number = multiply_add!(*number, factor, summand);
                }
            }
            black_box(kept);
            16 / size_of::<$number>()
        }
    };
}

chains!(multiply_doubles, f64, _mm512_fmadd_pd _mm512_set1_pd, _mm256_fmadd_pd _mm256_set1_pd);
chains!(multiply_floats, f32, _mm512_fmadd_ps _mm512_set1_ps, _mm256_fmadd_ps _mm256_set1_ps);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_measured_only_where_there_is_something_to_measure() {
        let barrier = Barrier::new(1);
        assert_eq!(best(&barrier, None::<u8>, 8, |_| unreachable!()), None);
        let speed = best(&barrier, Some(0_u64), 1000, |count| *count = black_box(*count + 1));
        assert!(speed.is_some_and(|speed| speed > 0.0));
    }

    #[test]
    fn what_is_read_from_the_memory_leaves_the_caches_and_fits_the_memory() {
        assert_eq!(beyond(1 << 20, 2), Some(32 << 20));
        assert_eq!(beyond(16 << 20, 2), Some(64 << 20));
        assert_eq!(beyond(2 << 20, 1024), Some(4 << 20));
        assert_eq!(beyond(2 << 20, 4096), None, "each would read what its cache holds");
    }

    #[test]
    fn chains_tell_the_lanes_of_the_vectors_that_they_use() {
        assert_eq!(2 * multiply_doubles(), multiply_floats());
        assert!(multiply_doubles() >= 2);
    }
}
