//! How a trace is made.
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null;
use std::sync::Arc;

use tonnx_sys as sys;

use crate::args::Args;
use crate::carry::{fail, guard};
use crate::error::{call, BoxError, Result};
use crate::handle::{borrowed_items, c_text, copied_text, handle};

/// How a trace is made: [`Program::trace_with`](crate::Program::trace_with).
#[derive(Debug, Clone, Default)]
pub struct TraceOptions {
    dynamic_axes: Vec<(usize, i64, Option<String>)>,
    sizes: Vec<(String, i64)>,
    resize: Option<Resize>,
    // Made from options.json by scripts/options.py.
    share_weights: Option<bool>,
    replay: Option<bool>,
    allow_fixed_axes: Option<bool>,
    largest_size: Option<i32>,
    single_run: Option<bool>,
    other_values: Option<bool>,
    // Made until here.
}

type ResizeFn = dyn Fn(&BTreeMap<String, i64>) -> Result<Args, BoxError> + Send + Sync;

#[derive(Clone)]
struct Resize(Arc<ResizeFn>);

impl fmt::Debug for Resize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("closure")
    }
}

impl TraceOptions {
    // Made from options.json by scripts/options.py.

    /// Weights share the memory of the tensors that were declared or captured, and nobody may write to it as long as
    /// the program or a model of it lives; otherwise they are copied when the run ends. Default: false.
    ///
    /// # Safety
    /// Nobody writes to those tensors (trains them on) as long as the program, or a model made of it, lives.
    pub unsafe fn share_weights(mut self, enabled: bool) -> Self {
        self.share_weights = Some(enabled);
        self
    }

    /// Run the first recording again on its inputs before it becomes a program, and refuse it where it does not give
    /// what the code returned; the error names the first operator that differs. Further runs are compared with the
    /// first one. Without it a trace takes the time of the code alone. Default: true.
    pub fn replay(mut self, enabled: bool) -> Self {
        self.replay = Some(enabled);
        self
    }

    /// A dynamic axis along which the code runs at the example's size only, or takes another path at other sizes, is
    /// fixed in every export, and a warning names the axis, the size and the reason. Without it the trace is refused.
    /// Default: false.
    pub fn allow_fixed_axes(mut self, enabled: bool) -> Self {
        self.allow_fixed_axes = Some(enabled);
        self
    }

    /// The largest size at which tonnx runs the code by itself: first near the example, then at powers of two and
    /// numbers beside them, one dynamic axis at a time, as long as these runs cost little beside the others (a large
    /// network is run at fewer of them). So a threshold of the code (n > 512) is found, and the model follows it or the
    /// trace is refused, naming operator and size. The smallest and the largest size that were run are in the report
    /// and in the model's metadata (tonnx.sizes). An example that is larger is run at sizes near it and below. 1: near
    /// the example alone. Default: 4096.
    pub fn largest_size(mut self, value: i32) -> Self {
        self.largest_size = Some(value);
        self
    }

    /// One run, whatever the axes: numbers that the code computes from sizes stay the example's, and exports may name
    /// any axis dynamic. Default: false.
    pub fn single_run(mut self, enabled: bool) -> Self {
        self.single_run = Some(enabled);
        self
    }

    /// Run the code on other values of the same sizes as well: the example's in another order, of the other sign, and
    /// zeros; where it reads numbers by item(), equal() and their like, on the example's three times more, with low,
    /// high and no numbers in their place. Where it does not do the same, the trace is refused, naming operator and
    /// reads; where it runs on none of these values, a warning says so. Where the code runs once, warnings name each
    /// read of a number and each operator whose result's sizes depend on data (nonzero, unique): the model keeps what
    /// the code made of them. Reads by an accessor or data_ptr() are found on other values only. Default: where the
    /// code runs at several sizes, but in no single run.
    pub fn other_values(mut self, enabled: bool) -> Self {
        self.other_values = Some(enabled);
        self
    }
    // Made until here.

    /// An axis of an input is dynamic in every export: the closure runs at several sizes of it, and what it makes of the
    /// sizes follows them. A negative axis counts from the end; axes of one symbol have one size; without a symbol the axis
    /// has its own.
    pub fn dynamic_axis<'s>(mut self, input: usize, axis: i64, symbol: impl Into<Option<&'s str>>) -> Self {
        self.dynamic_axes.push((input, axis, symbol.into().map(str::to_owned)));
        self
    }

    /// One of the sizes at which the closure runs.
    pub fn size(mut self, symbol: &str, size: i64) -> Self {
        self.sizes.push((symbol.to_owned(), size));
        self
    }

    /// Makes the inputs of the further runs: arguments like the example's, at these sizes by symbol. Its error is the source
    /// of the trace's, with `Status::Callback`. Default: the example's elements, cut off or over again.
    pub fn resize<F>(mut self, make: F) -> Self
    where
        F: Fn(&BTreeMap<String, i64>) -> Result<Args, BoxError> + Send + Sync + 'static,
    {
        self.resize = Some(Resize(Arc::new(make)));
        self
    }

    pub(crate) fn native(&self) -> Result<NativeOptions> {
        // SAFETY: the outputs live during the call.
        let native = NativeOptions::make(|out, error| unsafe { sys::tonnx_trace_options_new(out, error) })?;
        // Made from options.json by scripts/options.py.
        if let Some(value) = self.share_weights {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_trace_options_set_share_weights(native.as_ptr(), value.into(), error) })?;
        }
        if let Some(value) = self.replay {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_trace_options_set_replay(native.as_ptr(), value.into(), error) })?;
        }
        if let Some(value) = self.allow_fixed_axes {
            // SAFETY: the handle lives.
            call(|error| unsafe {
                sys::tonnx_trace_options_set_allow_fixed_axes(native.as_ptr(), value.into(), error)
            })?;
        }
        if let Some(value) = self.largest_size {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_trace_options_set_largest_size(native.as_ptr(), value, error) })?;
        }
        if let Some(value) = self.single_run {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_trace_options_set_single_run(native.as_ptr(), value.into(), error) })?;
        }
        if let Some(value) = self.other_values {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_trace_options_set_other_values(native.as_ptr(), value.into(), error) })?;
        }
        // Made until here.
        for (input, axis, symbol) in &self.dynamic_axes {
            let symbol = symbol.as_deref().map(c_text).transpose()?;
            let symbol = symbol.as_ref().map_or(null(), |symbol| symbol.as_ptr());
            // SAFETY: the handle lives, and the text lives during the call.
            call(|error| unsafe {
                sys::tonnx_trace_options_add_dynamic_axis(native.as_ptr(), *input, *axis, symbol, error)
            })?;
        }
        for (symbol, size) in &self.sizes {
            let symbol = c_text(symbol)?;
            // SAFETY: as above.
            call(|error| unsafe { sys::tonnx_trace_options_add_size(native.as_ptr(), symbol.as_ptr(), *size, error) })?;
        }
        if let Some(resize) = &self.resize {
            let user_data = Box::into_raw(Box::new(resize.clone())).cast();
            // SAFETY: as above; the closure is taken, also on failure.
            call(|error| unsafe {
                sys::tonnx_trace_options_set_resize(native.as_ptr(), Some(run), user_data, Some(destroy), error)
            })?;
        }
        Ok(native)
    }
}

/// The callback of every closure that makes inputs.
unsafe extern "C" fn run(
    args: *mut sys::tonnx_args,
    symbols: *const *const c_char,
    sizes: *const i64,
    count: usize,
    user_data: *mut c_void,
) -> i32 {
    let resize = &*user_data.cast::<Resize>();
    let made = guard(|| {
        let names = borrowed_items(symbols, count).iter().map(|symbol| copied_text(*symbol));
        let made = (resize.0)(&names.zip(borrowed_items(sizes, count).iter().copied()).collect())?;
        Ok(call(|error| sys::tonnx_args_extend(args, made.as_ptr(), error))?)
    });
    match made {
        Ok(()) => 0,
        Err(thrown) => {
            fail(thrown, |message, cause, destroy| sys::tonnx_args_fail_with(args, message, cause, destroy));
            1
        }
    }
}

/// Drops a closure. There is no call that a panic of its captures could come out of.
unsafe extern "C" fn destroy(user_data: *mut c_void) {
    let owned = Box::from_raw(user_data.cast::<Resize>());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(owned)));
}

handle! {
    /// What C is given.
    NativeOptions, tonnx_trace_options, tonnx_trace_options_free
}
