//! Passes errors and panics of closures through C: C sees a failed callback, and the call that ran C returns the error
//! or resumes the panic.
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use tonnx_sys as sys;

use crate::error::BoxError;
use crate::handle::c_message;

pub(crate) enum Thrown {
    Error(BoxError),
    Panic(Payload),
}

impl Thrown {
    /// The message for C. Formatting an error may panic, too.
    pub(crate) fn message(&self) -> String {
        match self {
            Thrown::Error(error) => catch_unwind(AssertUnwindSafe(|| error.to_string()))
                .unwrap_or_else(|_| "an error without a message".to_owned()),
            Thrown::Panic(payload) => match payload.downcast_ref::<&str>().map(|text| text.to_string()) {
                Some(text) => format!("panic: {text}"),
                None => match payload.downcast_ref::<String>() {
                    Some(text) => format!("panic: {text}"),
                    None => "panic".to_owned(),
                },
            },
        }
    }
}

/// Runs a closure called by C: no panic leaves it.
pub(crate) fn guard<T>(body: impl FnOnce() -> Result<T, BoxError>) -> Result<T, Thrown> {
    // If the closure leaves its data in an inconsistent state, its owner sees the panic when it is resumed.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result.map_err(Thrown::Error),
        Err(payload) => Err(Thrown::Panic(payload)),
    }
}

/// The error of a closure is stored in the C error of the call that ran it, until it is read or freed.
type Cause = Mutex<Option<BoxError>>;

unsafe extern "C" fn destroy_cause(cause: *mut c_void) {
    let owned = Box::from_raw(cause.cast::<Cause>());
    // A panic of the destructor cannot be passed to a caller.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(owned)));
}

/// C identifies the type of a cause by this address, and a function may have several addresses.
static DESTROY_CAUSE: sys::tonnx_destroy_fn = Some(destroy_cause);

/// Reports to C, by one of its `fail_with` functions, that a closure failed, and why.
pub(crate) fn fail(thrown: Thrown, with: impl FnOnce(*const c_char, *mut c_void, sys::tonnx_destroy_fn)) {
    let message = c_message(thrown.message());
    match thrown {
        Thrown::Error(error) => {
            let cause = Box::into_raw(Box::new(Cause::new(Some(error))));
            with(message.as_ptr(), cause.cast(), DESTROY_CAUSE);
        }
        Thrown::Panic(payload) => {
            with(message.as_ptr(), null_mut(), None);
            with_slot(|slot| slot.replace(Some(payload)));
        }
    }
}

/// Takes a closure's error out of the C error.
///
/// # Safety
/// `error` is null or lives.
pub(crate) unsafe fn take_cause(error: *const sys::tonnx_error) -> Option<BoxError> {
    let cause = sys::tonnx_error_cause(error, DESTROY_CAUSE).cast::<Cause>();
    cause.as_ref()?.lock().ok()?.take()
}

type Payload = Box<dyn Any + Send>;
type Slot = RefCell<Option<Payload>>;

thread_local! {
    /// The slot of the innermost `collect` on this thread. Symbolics run on the thread of their export, and a registry
    /// may be used by several exports at once, so the slot belongs to the thread, not to the registry.
    static CURRENT: Cell<*const Slot> = const { Cell::new(null()) };
}

/// Sets the outer slot again when it is dropped, also while a panic unwinds.
struct Inner(*const Slot);

impl Drop for Inner {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Makes a C call that may run closures, and returns its first panic.
pub(crate) fn collect<T>(body: impl FnOnce() -> T) -> (T, Option<Thrown>) {
    let slot = Slot::new(None);
    let result = {
        let _inner = Inner(CURRENT.replace(&slot));
        body()
    };
    (result, slot.into_inner().map(Thrown::Panic))
}

/// True if a symbolic has panicked since `collect` began: no other one may run then.
pub(crate) fn has_panicked() -> bool {
    with_slot(|slot| slot.borrow().is_some()).unwrap_or(false)
}

fn with_slot<T>(body: impl FnOnce(&Slot) -> T) -> Option<T> {
    // SAFETY: the pointer is null or points to the slot of a `collect` that is still on this thread's stack.
    unsafe { CURRENT.get().as_ref() }.map(body)
}
