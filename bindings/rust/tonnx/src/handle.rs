//! Code shared by all handles, and conversion of strings and bytes.
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::error::{Error, Result};

/// A type that owns one handle of the C API and frees it.
macro_rules! handle {
    ($(#[$attribute:meta])* $name:ident, $raw:ident, $free:ident) => {
        $(#[$attribute])*
        pub struct $name {
            raw: std::ptr::NonNull<tonnx_sys::$raw>,
        }

        impl $name {
            /// Owns the result of a C call.
            #[allow(dead_code)]
            pub(crate) fn make(
                body: impl FnOnce(
                    *mut *mut tonnx_sys::$raw,
                    *mut *mut tonnx_sys::tonnx_error,
                ) -> tonnx_sys::tonnx_status,
            ) -> $crate::Result<Self> {
                let mut made = std::ptr::null_mut();
                $crate::error::call(|error| body(&mut made, error))?;
                Ok(Self { raw: std::ptr::NonNull::new(made).expect("a call that succeeds has made a handle") })
            }

            pub(crate) fn as_ptr(&self) -> *mut tonnx_sys::$raw {
                self.raw.as_ptr()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the handle is owned, and this is its last use.
                unsafe { tonnx_sys::$free(self.as_ptr()) }
            }
        }

        // SAFETY: handles are not bound to a thread, and calls that take a const handle may run at once; all others
        // take `&mut self` or `self` here.
        unsafe impl Send for $name {}
        unsafe impl Sync for $name {}

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use handle;

/// A string for C; it must not contain NUL.
pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::argument(format!("a string contains a NUL byte: {text:?}")))
}

pub(crate) fn c_path(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| Error::argument(format!("a path contains a NUL byte: {path:?}")))
}

/// A message for C; it is cut at the first NUL.
pub(crate) fn c_message(text: String) -> CString {
    let bytes = text.into_bytes().into_iter().take_while(|byte| *byte != 0).collect::<Vec<u8>>();
    CString::new(bytes).unwrap_or_default()
}

/// A string that the library owns. Invalid UTF-8 reads as "".
///
/// # Safety
/// `text` is null, or ends with NUL and lives as long as `'a`.
pub(crate) unsafe fn borrowed_text<'a>(text: *const c_char) -> &'a str {
    if text.is_null() {
        return "";
    }
    CStr::from_ptr(text).to_str().unwrap_or_default()
}

/// A copy of a string that the library owns.
///
/// # Safety
/// As for `borrowed_text`, for the time of the call.
pub(crate) unsafe fn copied_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

/// Items that the library owns; null is an empty list.
///
/// # Safety
/// `items` is null, or `count` items that live as long as `'a`.
pub(crate) unsafe fn borrowed_items<'a, T>(items: *const T, count: usize) -> &'a [T] {
    if items.is_null() {
        return &[];
    }
    std::slice::from_raw_parts(items, count)
}
