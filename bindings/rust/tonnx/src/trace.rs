//! Recording a call of LibTorch code.
use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{null, NonNull};

use tonnx_sys as sys;

use crate::args::Args;
use crate::carry::{guard, Thrown};
use crate::error::{call, settle, BoxError, Result};
use crate::handle::{c_message, c_text};
use crate::program::Program;

/// A trace that is being recorded.
pub struct Trace<'a> {
    raw: *mut sys::tonnx_trace,
    call: PhantomData<Cell<&'a ()>>,
}

impl Trace<'_> {
    pub fn input_count(&self) -> usize {
        // SAFETY: the trace lives.
        unsafe { sys::tonnx_trace_input_count(self.raw) }
    }

    /// An `at::Tensor`, borrowed until the closure returns.
    pub fn input(&self, index: usize) -> Option<NonNull<c_void>> {
        // SAFETY: the trace lives.
        NonNull::new(unsafe { sys::tonnx_trace_input(self.raw, index) })
    }

    /// Declares a weight: where this tensor is read it becomes the named weight. Call it before the tensor is used. A
    /// tensor that is captured undeclared becomes a weight "constant_N".
    ///
    /// # Safety
    /// `at_tensor` points to an `at::Tensor` of the LibTorch that tonnx is linked with.
    pub unsafe fn weight(&self, name: &str, at_tensor: *const c_void) -> Result<()> {
        let name = c_text(name)?;
        call(|error| sys::tonnx_trace_weight(self.raw, name.as_ptr(), at_tensor, error))
    }

    /// Adds a result of the program.
    ///
    /// # Safety
    /// As for [`weight`](Self::weight).
    pub unsafe fn output<'s>(&self, name: impl Into<Option<&'s str>>, at_tensor: *const c_void) -> Result<()> {
        let name = name.into().map(c_text).transpose()?;
        let name = name.as_ref().map_or(null(), |name| name.as_ptr());
        call(|error| sys::tonnx_trace_output(self.raw, name, at_tensor, error))
    }

    /// What `body` does belongs to the module `name` ("fc1") of class `class` ("Linear"); nests.
    pub fn module<T>(&self, class: &str, name: &str, body: impl FnOnce() -> T) -> Result<T> {
        struct Entered(*mut sys::tonnx_trace);
        impl Drop for Entered {
            fn drop(&mut self) {
                // SAFETY: the trace lives, and has the module that was entered.
                unsafe { sys::tonnx_trace_leave(self.0, std::ptr::null_mut()) };
            }
        }
        let (class, name) = (c_text(class)?, c_text(name)?);
        // SAFETY: the names live during the call.
        call(|error| unsafe { sys::tonnx_trace_enter(self.raw, class.as_ptr(), name.as_ptr(), error) })?;
        let _entered = Entered(self.raw);
        Ok(body())
    }
}

impl std::fmt::Debug for Trace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").field("input_count", &self.input_count()).finish_non_exhaustive()
    }
}

/// A closure that is to run once, and what it threw.
struct Call<F> {
    closure: Option<F>,
    thrown: Option<Thrown>,
}

impl Program {
    /// Records one call of LibTorch code that takes and gives `at::Tensor` pointers; the feature `tch` has the same for
    /// tch's tensors, `trace`.
    ///
    /// The closure runs once, on this thread, in this thread's grad mode. What it does on tensors reached from the
    /// trace's inputs is recorded. Its error, or its panic, comes out of this call. A trace inside a trace is refused
    /// with `Status::Argument`.
    ///
    /// # Panics
    /// If the closure panicked, with its payload.
    pub fn trace_pointers<F>(args: &Args, closure: F) -> Result<Self>
    where
        F: for<'a> FnOnce(&Trace<'a>) -> Result<(), BoxError>,
    {
        unsafe extern "C" fn run<F>(trace: *mut sys::tonnx_trace, user_data: *mut c_void) -> i32
        where
            F: for<'a> FnOnce(&Trace<'a>) -> Result<(), BoxError>,
        {
            let this = &mut *user_data.cast::<Call<F>>();
            let Some(closure) = this.closure.take() else { return 1 };
            match guard(|| closure(&Trace { raw: trace, call: PhantomData })) {
                Ok(()) => 0,
                Err(thrown) => {
                    sys::tonnx_trace_fail(trace, c_message(thrown.message()).as_ptr());
                    this.thrown = Some(thrown);
                    1
                }
            }
        }
        let mut this = Call { closure: Some(closure), thrown: None };
        let user_data: *mut Call<F> = &mut this;
        // SAFETY: `this` lives during the call, which runs the closure on this thread.
        let result = Self::make(|out, error| unsafe {
            sys::tonnx_program_trace(out, Some(run::<F>), user_data.cast(), None, args.as_ptr(), error)
        });
        settle(result, this.thrown)
    }
}
