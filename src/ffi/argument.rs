//! Pointer arguments: what C passes by address is read and written here.
//!
//! The type of a parameter says what is behind its address, and each access checks for NULL first. The caller of an
//! exported function fulfils the documentation of its parameters; the functions rely on no more than that.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;

use crate::error::Error;
use crate::id::{DatumId, ProcessingId, Rank};
use crate::memory;

/// A pointer of C: `*const T` or `*mut T`.
pub trait Pointer: Copy {
    /// The type behind the pointer.
    type Target;

    /// The address alone.
    #[doc(hidden)]
    fn address(self) -> *const Self::Target;
}

impl<T> Pointer for *const T {
    type Target = T;
    #[inline]
    fn address(self) -> *const T {
        self
    }
}

impl<T> Pointer for *mut T {
    type Target = T;
    #[inline]
    fn address(self) -> *const T {
        self
    }
}

/// An address that C has passed as a `P`: NULL, or the address of one or more `T`, as the function documents, valid
/// during the call. If C's type is a pointer to mutable memory and the function documents a result, the memory may be
/// written.
#[repr(transparent)]
#[derive(Debug)]
pub struct Arg<'a, P: Pointer, T = <P as Pointer>::Target>(P, PhantomData<(&'a (), *const T)>);

impl<'a, P: Pointer, T> Arg<'a, P, T> {
    /// The address that C has passed.
    ///
    /// # Safety
    /// The address is what the type says, for as long as `'a`.
    pub unsafe fn new(pointer: P) -> Self {
        Self(pointer, PhantomData)
    }

    #[inline]
    pub(super) fn address(&self) -> *const T {
        self.0.address().cast()
    }

    /// The pointer itself, for addresses that the library keeps and does not dereference.
    #[inline]
    pub(super) fn pointer(self) -> P {
        self.0
    }

    /// True for NULL.
    #[inline]
    pub(super) fn is_null(&self) -> bool {
        self.address().is_null()
    }

    /// Refuses NULL.
    #[inline]
    pub(super) fn require(&self, name: &str) -> Result<(), Error> {
        require_non_null(self.address(), name)
    }

    /// The value behind the pointer.
    #[inline]
    pub(super) fn get(&self, name: &str) -> Result<&'a T, Error> {
        Ok(&self.list(1, name)?[0])
    }

    /// The values behind the pointer, as many as the function documents. For 0 values NULL is allowed.
    #[inline]
    pub(super) fn list(&self, count: usize, name: &str) -> Result<&'a [T], Error> {
        if count == 0 {
            return Ok(&[]);
        }
        self.require(name)?;
        // SAFETY: not NULL, so there are `count` values by the type's contract; nobody writes them during the call.
        Ok(unsafe { std::slice::from_raw_parts(self.address(), count) })
    }

    /// The same where NULL means that there is no list.
    pub(super) fn optional_list(&self, count: usize, name: &str) -> Result<Option<&'a [T]>, Error> {
        (!self.is_null()).then(|| self.list(count, name)).transpose()
    }
}

impl<'a, T, R> Arg<'a, *mut T, R> {
    /// The place of a result.
    #[inline]
    pub(super) fn result(self, name: &str) -> Result<ResultPlace<'a, R>, Error> {
        self.require(name)?;
        Ok(ResultPlace(self.0.cast(), PhantomData))
    }

    /// Writes consecutive results; the caller has room for them.
    pub(super) fn write_all(&self, results: &[R], name: &str) -> Result<(), Error>
    where
        R: Copy,
    {
        self.write_from(0, results, name)
    }

    /// The same from this place of the list on.
    #[inline]
    pub(super) fn write_from(&self, first: usize, results: &[R], name: &str) -> Result<(), Error>
    where
        R: Copy,
    {
        if results.is_empty() {
            return Ok(());
        }
        self.require(name)?;
        // SAFETY: not NULL, so there is room by the type's contract. The results belong to the library, so they do not
        // overlap.
        unsafe { self.0.cast::<R>().add(first).copy_from_nonoverlapping(results.as_ptr(), results.len()) };
        Ok(())
    }
}

/// Where one result goes.
pub(super) struct ResultPlace<'a, R>(*mut R, PhantomData<&'a ()>);

impl<R> ResultPlace<'_, R> {
    /// Writes the result.
    #[inline]
    pub(super) fn write(self, result: R) {
        // SAFETY: not NULL, so there is room for one result by the type's contract.
        unsafe { self.0.write(result) };
    }
}

/// A structure of C that begins with its size in bytes. The program sets the size; the rest may have any contents.
///
/// # Safety
/// The first field is a `usize`.
pub(super) unsafe trait BeginsWithSize {}

/// Such a structure for the library to read, of this version or an earlier one.
///
/// # Safety
/// It may be copied, and zero bytes are a value of each field.
pub(super) unsafe trait Extended: BeginsWithSize {}

/// A copy of the structure if its size is one of `sizes`, else that size. Later fields are zero.
pub(super) fn extended<P: Pointer, T: Extended>(
    given: &Arg<P, T>,
    sizes: &[usize],
    name: &str,
) -> Result<Result<T, usize>, Error> {
    given.require(name)?;
    let mut copy = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: not NULL, and the structure begins with its size: the program's has so many bytes, and the copy has room. All
    // its fields are then values: the first are the program's, the others zero.
    Ok(unsafe {
        let size = given.address().cast::<usize>().read();
        if !sizes.contains(&size) || size > size_of::<T>() {
            return Ok(Err(size));
        }
        copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(given.address().cast(), size);
        Ok(copy.assume_init())
    })
}

impl<R: BeginsWithSize> ResultPlace<'_, R> {
    /// The size that the program has set.
    pub(super) fn size(&self) -> usize {
        // SAFETY: not NULL, and the program has set the first field.
        unsafe { self.0.cast::<usize>().read() }
    }
}

// A list of pairs of numbers is a list of ids.
const _: () = assert!(size_of::<DatumId>() == size_of::<IdParts>() && align_of::<DatumId>() == align_of::<IdParts>());

/// The two numbers of an id.
/// cbindgen:ignore
pub type IdParts = [u64; 2];

impl<'a, P: Pointer> Arg<'a, P, IdParts> {
    /// A datum's id.
    #[inline]
    pub(super) fn datum(&self, name: &str) -> Result<DatumId, Error> {
        self.get(name).map(|&[home, number]| DatumId::from_raw([home, number]))
    }

    /// A processing's id.
    #[inline]
    pub(super) fn processing(&self, name: &str) -> Result<ProcessingId, Error> {
        self.get(name).map(|&[home, number]| ProcessingId::from_raw([home, number]))
    }

    /// The ids of data.
    #[inline]
    pub(super) fn data(&self, count: usize, name: &str) -> Result<&'a [DatumId], Error> {
        Arg::<P, DatumId>(self.0, PhantomData).list(count, name)
    }

    /// The same for a number of ids that C passes.
    #[inline]
    pub(super) fn counted_data(&self, count: c_int, name: &str) -> Result<&'a [DatumId], Error> {
        self.data(non_negative(count, "count")?, name)
    }
}

impl Arg<'_, *mut c_void, c_char> {
    /// Writes a text and its terminating NUL. There is room for both.
    pub(super) fn write_text(&self, text: &str, name: &str) -> Result<(), Error> {
        self.require(name)?;
        let place = self.0.cast::<u8>();
        // SAFETY: not NULL, so there is room by the type's contract. The text belongs to the library, so the two do not
        // overlap.
        unsafe {
            place.copy_from_nonoverlapping(text.as_ptr(), text.len());
            place.add(text.len()).write(0);
        }
        Ok(())
    }
}

impl Arg<'_, *mut u64, Rank> {
    /// Writes the first components. There is room for them.
    pub(super) fn write_components(&self, components: &[u64], name: &str) -> Result<(), Error> {
        Arg::<*mut u64>(self.0, PhantomData).write_all(components, name)
    }
}

impl<'a, P: Pointer<Target = c_char>> Arg<'a, P> {
    /// A text that ends with a NUL.
    pub(super) fn bytes(&self, name: &str) -> Result<&'a CStr, Error> {
        self.require(name)?;
        // SAFETY: not NULL, so the text ends with a NUL by the type's contract.
        Ok(unsafe { CStr::from_ptr(self.address()) })
    }

    /// An owned copy of the text; `None` for NULL. A program's text may be large, so memory for it may be missing.
    pub(super) fn text(&self) -> Result<Option<String>, Error> {
        if self.is_null() {
            return Ok(None);
        }
        let bytes = self.bytes("text")?;
        if let Ok(text) = bytes.to_str() {
            return memory::text(text).map(Some);
        }
        // Each byte that is not UTF-8 becomes three bytes.
        let mut room = Vec::<u8>::new();
        memory::room_for(&mut room, bytes.count_bytes().saturating_mul(3))?;
        drop(room);
        Ok(Some(bytes.to_string_lossy().into_owned()))
    }
}

#[cold]
#[inline(never)]
fn is_null(name: &str) -> Error {
    Error::argument(format!("`{name}` is NULL"))
}

#[cold]
#[inline(never)]
fn is_negative(value: c_int, name: &str) -> Error {
    Error::argument(format!("`{name}` is {value}: it must not be negative"))
}

/// Refuses NULL.
#[inline]
fn require_non_null<T>(pointer: *const T, name: &str) -> Result<(), Error> {
    if pointer.is_null() { Err(is_null(name)) } else { Ok(()) }
}

/// Refuses a count below zero.
#[inline]
pub(super) fn non_negative(value: c_int, name: &str) -> Result<usize, Error> {
    usize::try_from(value).map_err(|_| is_negative(value, name))
}
