//! How to compare a model with its program.
use tonnx_sys as sys;

use crate::error::{call, Result};
use crate::handle::{c_text, handle};
use crate::observer::Observer;

/// How to compare a model with its program: [`Model::verify_with`](crate::Model::verify_with).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerifyOptions {
    sizes: Vec<(String, i64)>,
    operator_tolerances: Vec<(String, f64, f64)>,
    provider: Option<String>,
    runtime_libraries: Vec<String>,
    observer: Option<Observer>,
    // Made from options.json by scripts/options.py.
    rtol: Option<f64>,
    atol: Option<f64>,
    accepted_share: Option<f64>,
    check_dtype: Option<bool>,
    check_shape: Option<bool>,
    other_sizes: Option<bool>,
    every_operator: Option<bool>,
    // Made until here.
}

impl VerifyOptions {
    // Made from options.json by scripts/options.py.

    /// Relative tolerance: |model - program| <= atol + rtol * |program|. Negative: the default. Integers are compared
    /// exactly. Default: by the loosest floating dtype in the model (float16 and bfloat16 1e-2, float32 1e-3, on an
    /// accelerator 1e-2, float64 1e-5).
    pub fn rtol(mut self, value: f64) -> Self {
        self.rtol = Some(value);
        self
    }

    /// Absolute tolerance, added to rtol * |program|. Negative: the default. Default: by the loosest floating dtype in
    /// the model (float16 and bfloat16 1e-3, float32 1e-5, on an accelerator 1e-3, float64 1e-7).
    pub fn atol(mut self, value: f64) -> Self {
        self.atol = Some(value);
        self
    }

    /// Share of the elements of an output that may differ by more than the tolerances, from 0 to 1. Default: 0, also if
    /// it is negative: no element may differ.
    pub fn accepted_share(mut self, value: f64) -> Self {
        self.accepted_share = Some(value);
        self
    }

    /// Compare dtypes. If off, an output may have another dtype of the same kind, and its values are compared. Default:
    /// true.
    pub fn check_dtype(mut self, enabled: bool) -> Self {
        self.check_dtype = Some(enabled);
        self
    }

    /// Compare shapes. If off, an output may have another shape with the same number of elements, which are compared in
    /// order. Default: true.
    pub fn check_shape(mut self, enabled: bool) -> Self {
        self.check_shape = Some(enabled);
        self
    }

    /// Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one at size
    /// 1. Default: true.
    pub fn other_sizes(mut self, enabled: bool) -> Self {
        self.other_sizes = Some(enabled);
        self
    }

    /// When searching for the operators that differ, also compare every operator alone, on LibTorch's values. This
    /// finds differences that the outputs hide. Default: false.
    pub fn every_operator(mut self, enabled: bool) -> Self {
        self.every_operator = Some(enabled);
        self
    }
    // Made until here.

    /// Size of a dynamic axis, by its symbol, in the second run. Default: one that tonnx chooses; for a trace, one that
    /// it was run at.
    pub fn size(mut self, symbol: &str, size: i64) -> Self {
        self.sizes.push((symbol.to_owned(), size));
        self
    }

    /// Tolerances of the results of an operator, by its name (`aten::gelu`, or `aten::add.Tensor` for one overload):
    /// outputs of the model that it makes, also through views, and in a search for the operators that differ the
    /// results of each part that it makes. A negative one: rtol or atol. Default: none: rtol and atol for all results.
    pub fn operator_tolerance(mut self, name: &str, rtol: f64, atol: f64) -> Self {
        self.operator_tolerances.push((name.to_owned(), rtol, atol));
        self
    }

    /// Execution provider of ONNX Runtime: 'cpu' or 'cuda', which needs an ONNX Runtime that has it. Empty: the CPU.
    /// Default: "".
    pub fn provider(mut self, provider: &str) -> Self {
        self.provider = Some(provider.to_owned());
        self
    }

    /// Shared library with custom operators for ONNX Runtime (RegisterCustomOps), which runs the model. Default: none.
    pub fn runtime_library(mut self, name: &str) -> Self {
        self.runtime_libraries.push(name.to_owned());
        self
    }

    /// Observes the verifications and searches with these options.
    pub fn observer(mut self, observer: &Observer) -> Self {
        self.observer = Some(observer.clone());
        self
    }

    pub(crate) fn native(&self) -> Result<NativeOptions> {
        // SAFETY: the outputs live during the call.
        let native = NativeOptions::make(|out, error| unsafe { sys::tonnx_verify_options_new(out, error) })?;
        // Made from options.json by scripts/options.py.
        if let Some(value) = self.rtol {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_verify_options_set_rtol(native.as_ptr(), value, error) })?;
        }
        if let Some(value) = self.atol {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_verify_options_set_atol(native.as_ptr(), value, error) })?;
        }
        if let Some(value) = self.accepted_share {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_verify_options_set_accepted_share(native.as_ptr(), value, error) })?;
        }
        if let Some(value) = self.check_dtype {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_verify_options_set_check_dtype(native.as_ptr(), value.into(), error) })?;
        }
        if let Some(value) = self.check_shape {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_verify_options_set_check_shape(native.as_ptr(), value.into(), error) })?;
        }
        if let Some(value) = self.other_sizes {
            // SAFETY: the handle lives.
            call(|error| unsafe { sys::tonnx_verify_options_set_other_sizes(native.as_ptr(), value.into(), error) })?;
        }
        if let Some(value) = self.every_operator {
            // SAFETY: the handle lives.
            call(|error| unsafe {
                sys::tonnx_verify_options_set_every_operator(native.as_ptr(), value.into(), error)
            })?;
        }
        // Made until here.
        for (symbol, size) in &self.sizes {
            let symbol = c_text(symbol)?;
            // SAFETY: the handle lives, and the text lives during the call.
            call(|error| unsafe {
                sys::tonnx_verify_options_add_size(native.as_ptr(), symbol.as_ptr(), *size, error)
            })?;
        }
        for (name, rtol, atol) in &self.operator_tolerances {
            let name = c_text(name)?;
            // SAFETY: the handle lives, and the text lives during the call.
            call(|error| unsafe {
                sys::tonnx_verify_options_add_operator_tolerance(native.as_ptr(), name.as_ptr(), *rtol, *atol, error)
            })?;
        }
        if let Some(provider) = &self.provider {
            let provider = c_text(provider)?;
            // SAFETY: the handle lives, and the text lives during the call.
            call(|error| unsafe { sys::tonnx_verify_options_set_provider(native.as_ptr(), provider.as_ptr(), error) })?;
        }
        for name in &self.runtime_libraries {
            let name = c_text(name)?;
            // SAFETY: the handle lives, and the text lives during the call.
            call(|error| unsafe {
                sys::tonnx_verify_options_add_runtime_library(native.as_ptr(), name.as_ptr(), error)
            })?;
        }
        if let Some(observer) = &self.observer {
            // SAFETY: the handles live.
            call(|error| unsafe { sys::tonnx_verify_options_set_observer(native.as_ptr(), observer.as_ptr(), error) })?;
        }
        Ok(native)
    }
}

handle! {
    /// The options in C form.
    NativeOptions, tonnx_verify_options, tonnx_verify_options_free
}
