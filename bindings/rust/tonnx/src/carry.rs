//! Carries what a closure throws around C: C sees a failed callback, and the call that ran C takes error or panic back.
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
    /// What C is told. The error's own text may panic, too.
    pub(crate) fn message(&self) -> String {
        match self {
            Thrown::Error(error) => catch_unwind(AssertUnwindSafe(|| error.to_string()))
                .unwrap_or_else(|_| "an error without a text".to_owned()),
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

/// Runs a closure's code at the border to C: nothing unwinds out of it.
pub(crate) fn guard<T>(body: impl FnOnce() -> Result<T, BoxError>) -> Result<T, Thrown> {
    // What the closure leaves half done is its owner's, who sees the panic when it goes on.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result.map_err(Thrown::Error),
        Err(payload) => Err(Thrown::Panic(payload)),
    }
}

/// Errors of closures travel inside the error of the call that ran them: C owns one until that is read, or freed.
type Cause = Mutex<Option<BoxError>>;

unsafe extern "C" fn destroy_cause(cause: *mut c_void) {
    let owned = Box::from_raw(cause.cast::<Cause>());
    // There is no call that a panic of its own could come out of.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(owned)));
}

/// C tells by its address whose cause it has, and a function may have several addresses.
static DESTROY_CAUSE: sys::tonnx_destroy_fn = Some(destroy_cause);

/// Tells C by a `fail_with` of its that a closure failed, and why.
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

/// Takes a closure's error out of the error that it made.
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
    /// may serve several exports at once, so the slot is the thread's and not the registry's.
    static CURRENT: Cell<*const Slot> = const { Cell::new(null()) };
}

/// Runs a C call that may run closures, and gives back the first panic of theirs.
pub(crate) fn collect<T>(body: impl FnOnce() -> T) -> (T, Option<Thrown>) {
    let slot = Slot::new(None);
    let outer = CURRENT.replace(&slot);
    let result = body();
    CURRENT.set(outer);
    (result, slot.into_inner().map(Thrown::Panic))
}

/// Whether a symbolic panicked since `collect` began: no other one shall run then.
pub(crate) fn has_panicked() -> bool {
    with_slot(|slot| slot.borrow().is_some()).unwrap_or(false)
}

fn with_slot<T>(body: impl FnOnce(&Slot) -> T) -> Option<T> {
    // SAFETY: the pointer is null or names the slot of a `collect` that is still on this thread's stack.
    unsafe { CURRENT.get().as_ref() }.map(body)
}
