//! How a trace is made.
use tonnx_sys as sys;

use crate::error::{call, Result};
use crate::handle::handle;

/// How a trace is made: [`Program::trace_with`](crate::Program::trace_with).
#[derive(Debug, Clone, Default)]
pub struct TraceOptions {
    share_weights: bool,
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

    pub(crate) fn native(&self) -> Result<NativeOptions> {
        // SAFETY: the outputs live during the call.
        let native = NativeOptions::make(|out, error| unsafe { sys::tonnx_trace_options_new(out, error) })?;
        // SAFETY: the handle lives.
        call(|error| unsafe {
            sys::tonnx_trace_options_set_share_weights(native.as_ptr(), self.share_weights.into(), error)
        })?;
        Ok(native)
    }
}

handle! {
    /// What C is given.
    NativeOptions, tonnx_trace_options, tonnx_trace_options_free
}
