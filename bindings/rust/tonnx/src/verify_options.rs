//! How a model is compared with its program.
use tonnx_sys as sys;

use crate::error::{call, Result};
use crate::handle::{c_text, handle};

/// How a model is compared with its program: [`Model::verify_with`](crate::Model::verify_with).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerifyOptions {
    rtol: Option<f64>,
    atol: Option<f64>,
    sizes: Vec<(String, i64)>,
    without_other_sizes: bool,
}

impl VerifyOptions {
    /// By how much a value may differ, relative to the program's: `|model - program| <= atol + rtol * |program|`. Default:
    /// by the loosest floating dtype in the model (float16 and bfloat16 1e-2, float32 1e-3, float64 1e-5); integers are
    /// compared exactly.
    pub fn rtol(mut self, tolerance: f64) -> Self {
        self.rtol = Some(tolerance);
        self
    }

    /// By how much a value may differ beside that. Default: by the loosest floating dtype in the model (float16 and
    /// bfloat16 1e-3, float32 1e-5, float64 1e-7).
    pub fn atol(mut self, tolerance: f64) -> Self {
        self.atol = Some(tolerance);
        self
    }

    /// The size that a dynamic axis, by its symbol, has in the second run. Default: one that tonnx chooses; of a trace, one
    /// that it ran at.
    pub fn size(mut self, symbol: &str, size: i64) -> Self {
        self.sizes.push((symbol.to_owned(), size));
        self
    }

    /// Whether there is a second run, at another size of each dynamic axis. Default: true.
    pub fn other_sizes(mut self, enabled: bool) -> Self {
        self.without_other_sizes = !enabled;
        self
    }

    pub(crate) fn native(&self) -> Result<NativeOptions> {
        // SAFETY: the outputs live during the call.
        let native = NativeOptions::make(|out, error| unsafe { sys::tonnx_verify_options_new(out, error) })?;
        let (rtol, atol) = (self.rtol.unwrap_or(-1.0), self.atol.unwrap_or(-1.0));
        // SAFETY: the handle lives.
        call(|error| unsafe { sys::tonnx_verify_options_set_tolerance(native.as_ptr(), rtol, atol, error) })?;
        for (symbol, size) in &self.sizes {
            let symbol = c_text(symbol)?;
            // SAFETY: as above, and the text lives during the call.
            call(|error| unsafe {
                sys::tonnx_verify_options_add_size(native.as_ptr(), symbol.as_ptr(), *size, error)
            })?;
        }
        // SAFETY: as above.
        call(|error| unsafe {
            sys::tonnx_verify_options_set_other_sizes(native.as_ptr(), (!self.without_other_sizes).into(), error)
        })?;
        Ok(native)
    }
}

handle! {
    /// What C is given.
    NativeOptions, tonnx_verify_options, tonnx_verify_options_free
}
