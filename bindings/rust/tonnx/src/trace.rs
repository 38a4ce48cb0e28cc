//! Records a call of LibTorch code.
use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{null, null_mut, NonNull};

use tonnx_sys as sys;

use crate::args::Args;
use crate::attributes::Attributes;
use crate::carry::{collect, fail, Thrown};
use crate::error::{call, settle, BoxError, Error, Result, Status};
use crate::handle::c_text;
use crate::program::Program;
use crate::trace_options::TraceOptions;

/// A run of code that is being recorded.
pub struct Trace<'a> {
    raw: *mut sys::tonnx_trace,
    call: PhantomData<Cell<&'a ()>>,
}

impl Trace<'_> {
    /// How many inputs the trace has.
    pub fn input_count(&self) -> usize {
        // SAFETY: the trace lives.
        unsafe { sys::tonnx_trace_input_count(self.raw) }
    }

    /// An `at::Tensor`, borrowed until the closure returns.
    pub fn input(&self, index: usize) -> Option<NonNull<c_void>> {
        // SAFETY: the trace lives.
        NonNull::new(unsafe { sys::tonnx_trace_input(self.raw, index) })
    }

    /// Declares a weight: reads of this tensor become reads of the named weight. Call it before the tensor is used. A
    /// captured tensor that is not declared becomes a weight "constant_N".
    ///
    /// # Safety
    /// `at_tensor` points to an `at::Tensor` of the LibTorch of the process.
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

    /// A size of a recorded tensor as a recorded value, for traces with a single run: an `at::Tensor` of rank 0 and
    /// dtype int64, borrowed until the run ends.
    ///
    /// # Safety
    /// As for [`weight`](Self::weight).
    pub unsafe fn size_pointer(&self, at_tensor: *const c_void, axis: i64) -> Result<NonNull<c_void>> {
        let mut out = null_mut();
        call(|error| sys::tonnx_trace_size(&mut out, self.raw, at_tensor, axis, error))?;
        NonNull::new(out).ok_or_else(|| Error::argument("the trace returned no size"))
    }

    /// Operators in `body` belong to the module `name` ("fc1") of class `class` ("Linear"); calls may be nested.
    pub fn module<T>(&self, class: &str, name: &str, body: impl FnOnce() -> T) -> Result<T> {
        struct Entered(*mut sys::tonnx_trace);
        impl Drop for Entered {
            fn drop(&mut self) {
                // SAFETY: the trace lives, and has the module that was entered.
                unsafe { sys::tonnx_trace_leave(self.0, null_mut()) };
            }
        }
        let (class, name) = (c_text(class)?, c_text(name)?);
        // SAFETY: the names live during the call.
        call(|error| unsafe { sys::tonnx_trace_enter(self.raw, class.as_ptr(), name.as_ptr(), error) })?;
        let _entered = Entered(self.raw);
        Ok(body())
    }

    /// Operators in `body` are one function, called on these tensors and arguments, which a symbolic
    /// `prim::PythonOp.NAME` or `prim::PythonOp` converts; without one, an export converts the operators, unless
    /// [`autograd_inlining`](crate::Options::autograd_inlining) is off. `outputs` returns the results of `body` that
    /// code after it reads: at least one `at::Tensor`, owned by the results. Calls may be nested. If `body` panics, or this
    /// fails, the function is dropped: its operators stay in the program.
    ///
    /// # Safety
    /// As for [`weight`](Self::weight), for all these tensors.
    pub unsafe fn function_pointers<'b, T>(
        &self,
        name: &str,
        inputs: &[*const c_void],
        arguments: impl Into<Option<&'b Attributes>>,
        body: impl FnOnce() -> T,
        outputs: impl FnOnce(&T) -> Vec<*const c_void>,
    ) -> Result<T> {
        let name = c_text(name)?;
        let arguments = arguments.into().map_or(null(), |arguments| arguments.as_ptr().cast_const());
        let (inputs, count) = (inputs.as_ptr(), inputs.len());
        call(|error| sys::tonnx_trace_begin_function(self.raw, name.as_ptr(), inputs, count, arguments, error))?;
        let open = OpenFunction(self.raw);
        let result = body();
        let outputs = outputs(&result);
        call(|error| sys::tonnx_trace_end_function(self.raw, outputs.as_ptr(), outputs.len(), error))?;
        std::mem::forget(open);
        Ok(result)
    }
}

/// A function that was begun; dropping it drops the function.
struct OpenFunction(*mut sys::tonnx_trace);

impl Drop for OpenFunction {
    fn drop(&mut self) {
        // SAFETY: the trace lives as long as the call that has this object.
        unsafe { sys::tonnx_trace_abandon_function(self.0, null_mut()) };
    }
}

impl std::fmt::Debug for Trace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").field("input_count", &self.input_count()).finish_non_exhaustive()
    }
}

/// A trace in progress on this thread; dropping it stops it.
struct Recording(NonNull<sys::tonnx_trace>);

impl Recording {
    fn begin(args: &Args, options: &TraceOptions) -> Result<Self> {
        let options = options.native()?;
        let mut out = null_mut();
        // SAFETY: the handles live during the call.
        let (result, thrown) = collect(|| {
            call(|error| unsafe { sys::tonnx_trace_begin(&mut out, args.as_ptr(), options.as_ptr(), error) })
        });
        settle(result, thrown)?;
        NonNull::new(out).map(Recording).ok_or_else(|| Error::argument("the trace did not begin"))
    }

    /// Ends a run; returns true if another one has begun.
    fn next(&mut self) -> Result<bool> {
        let mut again = 0;
        // SAFETY: the trace lives.
        let (result, thrown) =
            collect(|| call(|error| unsafe { sys::tonnx_trace_next(&mut again, self.0.as_ptr(), error) }));
        settle(result, thrown)?;
        Ok(again != 0)
    }

    /// Reports that the code does not run at the sizes of this run.
    fn fail(&mut self, cause: BoxError) {
        let trace = self.0.as_ptr();
        // SAFETY: the trace lives.
        fail(Thrown::Error(cause), |message, cause, destroy| unsafe {
            sys::tonnx_trace_fail(trace, message, cause, destroy)
        });
    }

    fn end(self) -> Result<Program> {
        // SAFETY: the trace lives.
        let (result, thrown) =
            collect(|| Program::make(|out, error| unsafe { sys::tonnx_trace_end(out, self.0.as_ptr(), error) }));
        settle(result, thrown)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // SAFETY: this is the trace's last use.
        unsafe { sys::tonnx_trace_free(self.0.as_ptr()) }
    }
}

impl Program {
    /// Records LibTorch code on `at::Tensor` pointers; the feature `tch` offers the same for tch's tensors, `trace`.
    ///
    /// The closure runs on this thread, in this thread's grad mode. Operators on tensors reached from the trace's
    /// inputs are recorded. Its error is the source of an error with `Status::Callback`. A nested trace is refused with
    /// `Status::Argument`.
    ///
    /// # Panics
    /// If the closure, or that of [`TraceOptions::resize`], panics.
    pub fn trace_pointers<F>(args: &Args, options: &TraceOptions, mut closure: F) -> Result<Self>
    where
        F: for<'a> FnMut(&Trace<'a>) -> Result<(), BoxError>,
    {
        let mut recording = Recording::begin(args, options)?;
        let mut first = true;
        loop {
            let trace = Trace { raw: recording.0.as_ptr(), call: PhantomData };
            let cause = closure(&trace).err();
            let again = match cause {
                Some(cause) if first => {
                    return Err(Error::new(Status::Callback, "CallbackError", cause.to_string()).with_cause(cause));
                }
                Some(cause) => {
                    recording.fail(cause);
                    recording.next()?
                }
                None => recording.next()?,
            };
            if !again {
                return recording.end();
            }
            first = false;
        }
    }
}
