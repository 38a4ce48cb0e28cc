//! Carries what a closure throws around C: it is kept here, C sees a failed callback, and the call that ran C takes it
//! back.
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null;

use crate::error::BoxError;

pub(crate) enum Thrown {
    Error(BoxError),
    Panic(Box<dyn Any + Send>),
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

type Slot = RefCell<Option<Thrown>>;

thread_local! {
    /// The slot of the innermost `collect` on this thread. Symbolics run on the thread of their export, and a registry
    /// may serve several exports at once, so the slot is the thread's and not the registry's.
    static CURRENT: Cell<*const Slot> = const { Cell::new(null()) };
}

/// Runs a C call that may run symbolics, and gives back what the first failing one threw.
pub(crate) fn collect<T>(body: impl FnOnce() -> T) -> (T, Option<Thrown>) {
    let slot = Slot::new(None);
    let outer = CURRENT.replace(&slot);
    let result = body();
    CURRENT.set(outer);
    (result, slot.into_inner())
}

fn with_slot<T>(body: impl FnOnce(&Slot) -> T) -> Option<T> {
    // SAFETY: the pointer is null or names the slot of a `collect` that is still on this thread's stack.
    unsafe { CURRENT.get().as_ref() }.map(body)
}

/// Keeps what a closure threw for the `collect` around it. The first error stays, unless a panic follows it.
pub(crate) fn keep(thrown: Thrown) {
    with_slot(|slot| {
        let mut kept = slot.borrow_mut();
        if kept.is_none() || (matches!(thrown, Thrown::Panic(_)) && !matches!(*kept, Some(Thrown::Panic(_)))) {
            *kept = Some(thrown);
        }
    });
}

/// Whether a closure panicked since `collect` began: no other one shall run then.
pub(crate) fn has_panicked() -> bool {
    with_slot(|slot| matches!(*slot.borrow(), Some(Thrown::Panic(_)))).unwrap_or(false)
}
