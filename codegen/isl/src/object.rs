//! Ownership of isl's objects: copied by isl's reference count, freed when dropped, printed by isl.

/// Declares an owned object over isl's functions for it.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident($raw:ident), $copy:ident, $free:ident) => {
        $(#[$doc])*
        pub struct $name {
            ptr: std::ptr::NonNull<crate::raw::$raw>,
            ctx: crate::Ctx,
        }

        impl $name {
            /// Takes ownership of isl's result, or returns isl's error.
            ///
            /// # Safety
            /// `ptr` is null or a reference to an object of `ctx` that the caller owns and hands over.
            #[allow(dead_code)]
            pub(crate) unsafe fn own(
                ctx: &crate::Ctx,
                operation: &'static str,
                ptr: *mut crate::raw::$raw,
            ) -> crate::Result<$name> {
                match std::ptr::NonNull::new(ptr) {
                    Some(ptr) => Ok($name { ptr, ctx: ctx.clone() }),
                    None => Err(ctx.error(operation)),
                }
            }

            /// A borrowed pointer, for isl's `__isl_keep` arguments.
            #[allow(dead_code)]
            pub(crate) fn keep(&self) -> *mut crate::raw::$raw {
                self.ptr.as_ptr()
            }

            /// A new reference, for isl's `__isl_take` arguments.
            #[allow(dead_code)]
            pub(crate) fn give(&self) -> *mut crate::raw::$raw {
                // SAFETY: the object is live; isl counts the reference, and the callee takes it.
                unsafe { crate::raw::$copy(self.ptr.as_ptr()) }
            }

            /// The context that the object belongs to.
            #[allow(dead_code)]
            pub(crate) fn ctx(&self) -> &crate::Ctx {
                &self.ctx
            }
        }

        impl Clone for $name {
            fn clone(&self) -> $name {
                let ptr = std::ptr::NonNull::new(self.give()).expect("isl copies a live object");
                $name { ptr, ctx: self.ctx.clone() }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: this value owns one reference, and gives it back once.
                unsafe {
                    crate::raw::$free(self.ptr.as_ptr());
                }
            }
        }
    };
}

/// Declares `Display` for an object, by one of isl's `to_str` functions.
macro_rules! prints {
    ($name:ident, $to_str:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                // SAFETY: the object is live; isl returns a string of malloc or null, which `take_text` owns.
                let text = unsafe { crate::object::take_text(crate::raw::$to_str(self.keep())) };
                f.write_str(text.as_deref().ok_or(std::fmt::Error)?)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// Declares parsing of an object.
macro_rules! parses {
    ($name:ident, $read:ident) => {
        impl $name {
            /// Parses isl text.
            pub fn parse(ctx: &crate::Ctx, text: &str) -> crate::Result<$name> {
                let text = crate::object::c_text(text);
                // SAFETY: the context is live and the text is a C string; what comes back is handed over.
                ctx.unlimited(|| unsafe {
                    $name::own(ctx, stringify!($read), crate::raw::$read(ctx.as_ptr(), text.as_ptr()))
                })
            }

            /// The context that the object belongs to.
            #[allow(dead_code)]
            pub fn context(&self) -> &crate::Ctx {
                self.ctx()
            }
        }
    };
}

/// Declares operations that copy their arguments and return a new object.
macro_rules! operations {
    ($name:ident: $($(#[$doc:meta])* $method:ident = $f:ident($($arg:ident: $argty:ty),*) -> $ret:ident;)*) => {
        impl $name {
            $(
                $(#[$doc])*
                pub fn $method(&self, $($arg: &$argty),*) -> crate::Result<$ret> {
                    // SAFETY: every argument is a live object of this context and isl takes a reference made
                    // for it; what comes back is handed over.
                    unsafe { $ret::own(self.ctx(), stringify!($f), crate::raw::$f(self.give(), $($arg.give()),*)) }
                }
            )*
        }
    };
}

/// Declares yes-or-no questions.
macro_rules! questions {
    ($name:ident: $($(#[$doc:meta])* $method:ident = $f:ident($($arg:ident: $argty:ty),*);)*) => {
        impl $name {
            $(
                $(#[$doc])*
                pub fn $method(&self, $($arg: &$argty),*) -> crate::Result<bool> {
                    // SAFETY: every argument is a live object of this context, which isl only looks at.
                    let answer = unsafe { crate::raw::$f(self.keep(), $($arg.keep()),*) };
                    self.ctx.truth(stringify!($f), answer)
                }
            )*
        }
    };
}

/// Declares the operations and questions common to all sets and maps.
macro_rules! algebra {
    ($name:ident: $intersect:ident, $union:ident, $subtract:ident, $empty:ident, $equal:ident, $subset:ident) => {
        operations! { $name:
            /// The points in both.
            intersect = $intersect(other: $name) -> $name;
            /// The points in either.
            union = $union(other: $name) -> $name;
            /// The points not in `other`.
            subtract = $subtract(other: $name) -> $name;
        }
        questions! { $name:
            /// Whether there is no point, whatever the parameters.
            is_empty = $empty();
            /// Whether both have the same points.
            is_equal = $equal(other: $name);
            /// Whether all points are in `other`.
            is_subset = $subset(other: $name);
        }
    };
}

use std::ffi::{CStr, CString, c_char};

/// Text for isl; a NUL inside ends it, and isl reports the incomplete text.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).expect("the NUL was cut off")
}

/// Takes ownership of a string that isl allocated.
///
/// # Safety
/// `text` is null or a C string of malloc that the caller owns.
#[allow(unsafe_code)]
pub(crate) unsafe fn take_text(text: *mut c_char) -> Option<String> {
    unsafe extern "C" {
        fn free(pointer: *mut std::ffi::c_void);
    }
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for a C string of malloc; it is copied before it is freed, once.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        free(text.cast());
        Some(copy)
    }
}

/// The number in an owned value of isl, if it is an integer that fits.
///
/// # Safety
/// `value` is null or a reference that the caller owns and hands over.
#[allow(unsafe_code)]
pub(crate) unsafe fn take_number(value: *mut crate::raw::isl_val) -> Option<i64> {
    if value.is_null() {
        return None;
    }
    // SAFETY: the value is live until it is freed here; its number is only asked for when it is one and fits, since isl
    // answers 0 for any other.
    unsafe {
        let whole = crate::raw::isl_val_is_int(value) == crate::raw::isl_bool_isl_bool_true;
        let fits = crate::raw::isl_val_cmp_si(value, i64::MAX) <= 0 && crate::raw::isl_val_cmp_si(value, i64::MIN) >= 0;
        let number = (whole && fits).then(|| crate::raw::isl_val_get_num_si(value));
        crate::raw::isl_val_free(value);
        number
    }
}
