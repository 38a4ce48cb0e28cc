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
    share_weights: bool,
    without_replay: bool,
    other_values: Option<bool>,
    single_run: bool,
    dynamic_axes: Vec<(usize, i64, Option<String>)>,
    sizes: Vec<(String, i64)>,
    resize: Option<Resize>,
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
    /// Weights share the memory of the tensors that were declared or captured, instead of being copied when the run ends.
    ///
    /// # Safety
    /// Nobody writes to those tensors (trains them on) as long as the program, or a model made of it, lives.
    pub unsafe fn share_weights(mut self) -> Self {
        self.share_weights = true;
        self
    }

    /// Whether the first run is run again as it was recorded, and refused where that does not give what the closure returned.
    /// Default: true.
    pub fn replay(mut self, enabled: bool) -> Self {
        self.without_replay = !enabled;
        self
    }

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

    /// Whether the closure runs on other values as well, and is refused where it then does something else. Default: where
    /// it runs at several sizes.
    pub fn other_values(mut self, enabled: bool) -> Self {
        self.other_values = Some(enabled);
        self
    }

    /// One run whatever the axes: what the closure makes of sizes in Rust stays the example's.
    pub fn single_run(mut self) -> Self {
        self.single_run = true;
        self
    }

    pub(crate) fn native(&self) -> Result<NativeOptions> {
        // SAFETY: the outputs live during the call.
        let native = NativeOptions::make(|out, error| unsafe { sys::tonnx_trace_options_new(out, error) })?;
        // SAFETY: the handle lives.
        call(|error| unsafe {
            sys::tonnx_trace_options_set_share_weights(native.as_ptr(), self.share_weights.into(), error)
        })?;
        // SAFETY: as above.
        call(|error| unsafe {
            sys::tonnx_trace_options_set_replay(native.as_ptr(), (!self.without_replay).into(), error)
        })?;
        // SAFETY: as above.
        call(|error| unsafe {
            sys::tonnx_trace_options_set_single_run(native.as_ptr(), self.single_run.into(), error)
        })?;
        if let Some(enabled) = self.other_values {
            // SAFETY: as above.
            call(|error| unsafe { sys::tonnx_trace_options_set_other_values(native.as_ptr(), enabled.into(), error) })?;
        }
        for (input, axis, symbol) in &self.dynamic_axes {
            let symbol = symbol.as_deref().map(c_text).transpose()?;
            let symbol = symbol.as_ref().map_or(null(), |symbol| symbol.as_ptr());
            // SAFETY: as above, and the text lives during the call.
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
