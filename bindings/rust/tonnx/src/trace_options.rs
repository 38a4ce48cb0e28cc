//! How to trace.
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
use crate::observer::Observer;

/// How to trace: [`Program::trace_with`](crate::Program::trace_with).
#[derive(Debug, Clone, Default)]
pub struct TraceOptions {
    dynamic_axes: Vec<(usize, i64, Option<String>)>,
    sizes: Vec<(String, i64)>,
    resize: Option<Resize>,
    observer: Option<Observer>,
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

    /// Weights share the storage of the declared or captured tensors. The caller must not write to it while the program
    /// or a model of it lives. If off, weights are copied when the run ends. Default: false.
    ///
    /// # Safety
    /// Nothing may write to those tensors (train them) while the program, or a model made of it, lives.
    pub unsafe fn share_weights(mut self, enabled: bool) -> Self {
        self.share_weights = Some(enabled);
        self
    }

    /// Run the first recording again on its inputs before it becomes a program. The trace is refused if the results
    /// differ from what the code returned; the error names the first operator that differs. Further runs are compared
    /// with the first one. If off, a trace takes only the time of the code itself. Default: true.
    pub fn replay(mut self, enabled: bool) -> Self {
        self.replay = Some(enabled);
        self
    }

    /// If the code runs only at the example's size of a dynamic axis, or takes another path at other sizes, fix this
    /// axis in every export, and warn with the axis, the size and the reason. If off, the trace is refused. Default:
    /// false.
    pub fn allow_fixed_axes(mut self, enabled: bool) -> Self {
        self.allow_fixed_axes = Some(enabled);
        self
    }

    /// The largest size at which tonnx runs the code on its own: first near the example, then at powers of two and
    /// sizes next to them, one dynamic axis at a time, while these runs are cheap compared with the others (large
    /// networks are run at fewer sizes). This finds thresholds in the code (n > 512): the model follows them, or the
    /// trace is refused and the error names the operator and the size. The smallest and largest size that were run are
    /// in the report and in the model's metadata (tonnx.sizes). If the example is larger, sizes near it and below are
    /// run. 1: only sizes near the example. Default: 4096.
    pub fn largest_size(mut self, value: i32) -> Self {
        self.largest_size = Some(value);
        self
    }

    /// Run the code once, even with dynamic axes. Numbers that the code computes from sizes are then constants of the
    /// model, and exports may declare any axis dynamic. Default: false.
    pub fn single_run(mut self, enabled: bool) -> Self {
        self.single_run = Some(enabled);
        self
    }

    /// Also run the code on other values of the same sizes: the example's values in another order, negated, and zeros;
    /// if the code reads numbers by item(), equal() or similar operators, also three variants of the example with low,
    /// high and no numbers in their place. The trace is refused if the code behaves differently; the error names the
    /// operator and the reads. A warning is reported if the code runs on none of these values. If the code is run only
    /// once, warnings name each read of a number, each value to whose elements the code took a pointer (data_ptr(), an
    /// accessor, DLPack), and each operator whose output sizes depend on data (nonzero, unique), since the model keeps
    /// what the code computed from them. Reads through pointers to const elements (const_data_ptr()) are found only by
    /// this option. Default: on if the code runs at several sizes and single_run is off.
    pub fn other_values(mut self, enabled: bool) -> Self {
        self.other_values = Some(enabled);
        self
    }
    // Made until here.

    /// Makes an axis of an input dynamic in every export: the closure runs at several sizes of it, and values computed
    /// from the sizes follow them. A negative axis counts from the end; axes with the same symbol have the same size;
    /// an axis without a symbol has its own.
    pub fn dynamic_axis<'s>(mut self, input: usize, axis: i64, symbol: impl Into<Option<&'s str>>) -> Self {
        self.dynamic_axes.push((input, axis, symbol.into().map(str::to_owned)));
        self
    }

    /// Adds a size at which the closure runs.
    pub fn size(mut self, symbol: &str, size: i64) -> Self {
        self.sizes.push((symbol.to_owned(), size));
        self
    }

    /// Creates the inputs of further runs: arguments like the example's, with these sizes by symbol. Its error is the
    /// source of the trace's error, with `Status::Callback`. Default: the example's elements, cut off or repeated.
    pub fn resize<F>(mut self, make: F) -> Self
    where
        F: Fn(&BTreeMap<String, i64>) -> Result<Args, BoxError> + Send + Sync + 'static,
    {
        self.resize = Some(Resize(Arc::new(make)));
        self
    }

    /// Observes the traces with these options.
    pub fn observer(mut self, observer: &Observer) -> Self {
        self.observer = Some(observer.clone());
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
        if let Some(observer) = &self.observer {
            // SAFETY: the handles live.
            call(|error| unsafe { sys::tonnx_trace_options_set_observer(native.as_ptr(), observer.as_ptr(), error) })?;
        }
        Ok(native)
    }
}

/// The callback of every `resize` closure.
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
            fail(thrown, |message, cause, destroy| sys::tonnx_args_fail(args, message, cause, destroy));
            1
        }
    }
}

/// Drops a closure. A panic of its destructor cannot be passed to a caller.
unsafe extern "C" fn destroy(user_data: *mut c_void) {
    let owned = Box::from_raw(user_data.cast::<Resize>());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(owned)));
}

handle! {
    /// The options in C form.
    NativeOptions, tonnx_trace_options, tonnx_trace_options_free
}
