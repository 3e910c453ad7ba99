//! A function of the program, and how to call it.

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::num::NonZeroUsize;
use std::ptr;

use super::{is_code, unwind_boundary};
use crate::error::{Error, dvm_retcode_t};
use crate::system;

/// The greatest number of arguments that a plain callback can have.
pub(crate) const MAX_PLAIN_ARGUMENTS: usize = 64;

/// A callback of the report's kind: called with one pointer per argument.
type Plain = unsafe extern "C" fn() -> c_int;

/// A callback that is called with a context, its ids and their number.
type WithContext = unsafe extern "C" fn(context: *mut c_void, ids: *mut [u64; 2], count: c_int) -> c_int;

/// A function of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(unpredictable_function_pointer_comparisons, reason = "equal signatures are kept once to save memory, no more")]
pub(crate) enum Callee {
    /// Called with one pointer per argument.
    Plain(Plain),
    /// Called with the context, the ids and their number.
    WithContext(WithContext, *mut c_void),
}

/// A function that was found by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named(pub(super) Callee);

/// A function to be registered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registrant {
    pub(super) callee: Callee,
    /// Whether it was found by its name.
    pub(super) named: bool,
}

impl From<Callee> for Registrant {
    fn from(callee: Callee) -> Registrant {
        Registrant { callee, named: false }
    }
}

impl From<Named> for Registrant {
    fn from(Named(callee): Named) -> Registrant {
        Registrant { callee, named: true }
    }
}

// SAFETY: the program agrees that its callbacks run on any worker, with the context that it gave.
unsafe impl Send for Callee {}
// SAFETY: as above, on several workers at a time.
unsafe impl Sync for Callee {}

impl Callee {
    /// A callback that takes one pointer per argument.
    pub(crate) fn plain(callback: Plain) -> Callee {
        Callee::Plain(callback)
    }

    /// A function of no arguments that does nothing.
    pub(crate) const fn idle() -> Callee {
        unsafe extern "C" fn nothing() -> c_int {
            0
        }
        Callee::Plain(nothing)
    }

    /// A callback that takes a context, an array of ids and their number.
    pub(crate) fn with_context(callback: WithContext, context: *mut c_void) -> Callee {
        Callee::WithContext(callback, context)
    }

    /// The function at this address, which is code: with a context if there is one.
    pub(super) fn at(address: NonZeroUsize, context: Option<u64>) -> Callee {
        let function = ptr::with_exposed_provenance::<c_void>(address.get());
        // SAFETY: the address is not NULL; whoever registered the function says that it is one of this kind.
        unsafe {
            match context {
                None => Callee::Plain(transmute::<*const c_void, Plain>(function)),
                Some(context) => Callee::WithContext(
                    transmute::<*const c_void, WithContext>(function),
                    ptr::without_provenance_mut(context as usize),
                ),
            }
        }
    }

    /// The function's address.
    pub(super) fn address(self) -> usize {
        match self {
            Callee::Plain(function) => (function as *const ()).expose_provenance(),
            Callee::WithContext(function, _) => (function as *const ()).expose_provenance(),
        }
    }

    /// The context as a number, if the function takes one.
    pub(super) fn context(self) -> Option<u64> {
        match self {
            Callee::Plain(_) => None,
            Callee::WithContext(_, context) => Some(context.addr() as u64),
        }
    }

    /// The function of this name in the running program, as a callback that takes one pointer per argument.
    pub(crate) fn named(name: &CStr) -> Result<Named, Error> {
        let Some(address) = system::symbol(name) else {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_SYMBOL,
                format!(
                    "symbol '{}' is not in the dynamic table of the program or of its libraries: link the program with \
                     -rdynamic (CMake: ENABLE_EXPORTS ON), or register the function by pointer",
                    name.to_string_lossy()
                ),
            ));
        };
        if !is_code::is_function(address.as_ptr()) {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_SYMBOL,
                format!(
                    "symbol '{}' is data, no function: give the name of a function that takes one pointer per argument",
                    name.to_string_lossy()
                ),
            ));
        }
        // The caller of the C function guarantees that it is one of this kind.
        Ok(Named(Callee::at(address.expose_provenance(), None)))
    }

    /// Calls the function on these ids: what it returns; what it throws is told in words.
    ///
    /// # Safety
    /// The function is one for that many arguments: whoever registered it says so.
    #[inline]
    pub(crate) unsafe fn call(&self, ids: &mut [[u64; 2]]) -> Result<c_int, Error> {
        let first = ids.as_mut_ptr();
        // SAFETY: by this function's contract, and each function takes no more than four words in registers. The unwind
        // boundary lets it unwind: a panic of a callback written in Rust goes through to whoever runs the task.
        unsafe {
            match *self {
                Callee::WithContext(function, context) => {
                    let count = ptr::without_provenance_mut(ids.len());
                    unwind_boundary::call_directly(
                        transmute::<WithContext, unwind_boundary::Function>(function),
                        [context, first.cast(), count, ptr::null_mut()],
                    )
                }
                Callee::Plain(function) if ids.len() <= 4 => {
                    let arguments = [0, 1, 2, 3].map(|place| first.wrapping_add(place).cast());
                    unwind_boundary::call_directly(transmute::<Plain, unwind_boundary::Function>(function), arguments)
                }
                Callee::Plain(function) => call_with_many(function, ids),
            }
        }
    }
}

/// # Safety
/// As for [`Callee::call`].
#[inline(never)]
unsafe fn call_with_many(function: Plain, ids: &mut [[u64; 2]]) -> Result<c_int, Error> {
    // SAFETY: by this function's contract.
    unwind_boundary::call(|| unsafe { call_plain(function, ids) })
}

/// One pointer, for each token that it is given.
macro_rules! pointer {
    ($place:literal) => {
        *mut [u64; 2]
    };
}

/// Calls the function with as many pointers as there are places.
macro_rules! call_with {
    ($function:ident, $ids:ident, $($place:literal)*) => {
        // SAFETY: by the contract of the function in which this stands, the callback takes so many pointers.
        unsafe {
            let function = transmute::<Plain, unsafe extern "C-unwind" fn($(pointer!($place)),*) -> c_int>($function);
            function($(&raw mut $ids[$place]),*)
        }
    };
}

/// Compares the number of ids with the number of places so far, calls the function when they agree, and goes on with
/// one place more when they do not.
macro_rules! call_some {
    ($function:ident, $ids:ident, [$($place:literal)*]) => {
        if $ids.len() == const { <[usize]>::len(&[$($place),*]) } {
            return call_with!($function, $ids, $($place)*);
        }
    };
    ($function:ident, $ids:ident, [$($place:literal)*] $next:literal $($rest:literal)*) => {
        call_some!($function, $ids, [$($place)*]);
        call_some!($function, $ids, [$($place)* $next] $($rest)*);
    };
}

/// Calls a plain callback with one pointer per id.
///
/// # Safety
/// The callback takes so many pointers.
#[allow(clippy::useless_transmute, reason = "the first of the types, the one without arguments, is the same")]
unsafe fn call_plain(function: Plain, ids: &mut [[u64; 2]]) -> c_int {
    call_some!(function, ids, []
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63);
    unreachable!("registration refuses plain callbacks with {} arguments", ids.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn none() -> c_int {
        7
    }

    extern "C" fn three(a: &u64, b: &u64, c: &u64) -> c_int {
        (a + 10 * b + 100 * c) as c_int
    }

    macro_rules! wide {
        ($($name:ident)*) => {
            extern "C" fn sixty_four($($name: &u64),*) -> c_int {
                let mut sum = 0;
                let mut weight = 0;
                $(weight += 1;
                sum += weight * $name;)*
                sum as c_int
            }
            const SIXTY_FOUR: unsafe extern "C" fn($(pointer_to!($name)),*) -> c_int = sixty_four;
        };
    }
    macro_rules! pointer_to {
        ($name:ident) => {
            &u64
        };
    }
    wide!(a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6
        d7 d8 d9 e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 g0 g1 g2 g3);

    #[test]
    fn plain_callbacks_get_exactly_their_arguments() {
        // SAFETY: each callback is called with as many ids as it has parameters.
        unsafe {
            assert_eq!(Callee::plain(none).call(&mut []), Ok(7));
            let three = transmute::<*const (), Plain>(three as *const ());
            assert_eq!(Callee::plain(three).call(&mut [[1, 0], [2, 0], [3, 0]]), Ok(321));
            let wide = transmute::<*const (), Plain>(SIXTY_FOUR as *const ());
            let mut ids: Vec<[u64; 2]> = (0..64).map(|number| [number, 0]).collect();
            let expected: u64 = (0..64).map(|number| number * (number + 1)).sum();
            assert_eq!(Callee::plain(wide).call(&mut ids), Ok(expected as c_int));
        }
    }

    #[test]
    fn data_is_no_function() {
        for data in [c"environ", c"stdout", c"in6addr_any"] {
            let error = Callee::named(data).unwrap_err();
            assert_eq!(error.code(), dvm_retcode_t::DVM_ERR_SYMBOL, "{data:?}");
            assert!(["is data", "name of a function"].iter().all(|part| error.message().contains(part)), "{error}");
        }
        // Plain functions, functions that are chosen by the processor (IFUNC), and one that the kernel may bring (vDSO).
        for function in [c"getpid", c"memcpy", c"strlen", c"time", c"gettimeofday", c"malloc"] {
            assert!(Callee::named(function).is_ok(), "{function:?}");
        }
    }

    #[test]
    fn a_missing_symbol_is_named_with_its_remedy() {
        let error = Callee::named(c"no_such_symbol_anywhere").unwrap_err();
        assert_eq!(error.code(), dvm_retcode_t::DVM_ERR_SYMBOL);
        for part in ["no_such_symbol_anywhere", "-rdynamic", "ENABLE_EXPORTS"] {
            assert!(error.message().contains(part), "{error}");
        }
    }
}
