//! Attributes of an ONNX node.
use std::ffi::CString;

use tonnx_sys as sys;

use crate::dtype::Dtype;
use crate::error::{call, Result};
use crate::graph::raw_dims;
use crate::handle::{c_text, handle};
use crate::tensor::Tensor;

handle! {
    /// Attributes of an ONNX node, for [`Graph::op`](crate::Graph::op). Setting a name again replaces it.
    ///
    /// ```
    /// # fn main() -> tonnx::Result<()> {
    /// let attributes = tonnx::Attributes::new()?.int("axis", -1)?.floats("scales", &[1.0, 2.0])?;
    /// # Ok(())
    /// # }
    /// ```
    Attributes, tonnx_attributes, tonnx_attributes_free
}

impl Attributes {
    /// No attributes.
    pub fn new() -> Result<Self> {
        // SAFETY: the outputs live during the call.
        Self::make(|out, error| unsafe { sys::tonnx_attributes_new(out, error) })
    }

    /// Adds an integer.
    pub fn int(self, name: &str, value: i64) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|it, error| unsafe { sys::tonnx_attributes_set_int(it, name.as_ptr(), value, error) })
    }

    /// Adds a float, which ONNX stores as float32.
    pub fn float(self, name: &str, value: f64) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|it, error| unsafe { sys::tonnx_attributes_set_float(it, name.as_ptr(), value, error) })
    }

    /// Adds a string.
    pub fn string(self, name: &str, value: &str) -> Result<Self> {
        let (name, value) = (c_text(name)?, c_text(value)?);
        self.with(|it, error| unsafe { sys::tonnx_attributes_set_string(it, name.as_ptr(), value.as_ptr(), error) })
    }

    /// Adds a tensor.
    pub fn tensor(self, name: &str, value: &Tensor) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|it, error| unsafe { sys::tonnx_attributes_set_tensor(it, name.as_ptr(), value.as_ptr(), error) })
    }

    /// Adds a list of integers.
    pub fn ints(self, name: &str, values: &[i64]) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|it, error| unsafe {
            sys::tonnx_attributes_set_ints(it, name.as_ptr(), values.as_ptr(), values.len(), error)
        })
    }

    /// Adds a list of floats.
    pub fn floats(self, name: &str, values: &[f64]) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|it, error| unsafe {
            sys::tonnx_attributes_set_floats(it, name.as_ptr(), values.as_ptr(), values.len(), error)
        })
    }

    /// Adds a list of strings.
    pub fn strings(self, name: &str, values: &[&str]) -> Result<Self> {
        let name = c_text(name)?;
        let values: Vec<CString> = values.iter().map(|value| c_text(value)).collect::<Result<_>>()?;
        let values: Vec<_> = values.iter().map(|value| value.as_ptr()).collect();
        self.with(|it, error| unsafe {
            sys::tonnx_attributes_set_strings(it, name.as_ptr(), values.as_ptr(), values.len(), error)
        })
    }

    /// Adds a list of tensors.
    pub fn tensors(self, name: &str, values: &[&Tensor]) -> Result<Self> {
        let name = c_text(name)?;
        let values: Vec<_> = values.iter().map(|value| value.as_ptr().cast_const()).collect();
        self.with(|it, error| unsafe {
            sys::tonnx_attributes_set_tensors(it, name.as_ptr(), values.as_ptr(), values.len(), error)
        })
    }

    /// A type attribute (TypeProto): a tensor type; a dim of None is unknown.
    pub fn tensor_type(self, name: &str, dtype: Dtype, dims: &[Option<i64>]) -> Result<Self> {
        let name = c_text(name)?;
        let dims = raw_dims(dims);
        self.with(|it, error| unsafe {
            sys::tonnx_attributes_set_type(it, name.as_ptr(), dtype.raw(), dims.as_ptr(), dims.len(), error)
        })
    }

    /// Adds a sub-graph, [`Graph::add_subgraph`](crate::Graph::add_subgraph), as the branch or body of one node.
    pub fn graph(self, name: &str, value: &crate::Graph<'_>) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|it, error| unsafe { sys::tonnx_attributes_set_graph(it, name.as_ptr(), value.as_ptr(), error) })
    }

    /// The content of a value, such as an argument of the operator. The suffixed name is that of the attribute with its
    /// kind: "alpha_f", "dims_i", "mode_s", "value_t", or "dtype_ty" for the type of the value. A list makes the
    /// attribute a list, and None sets nothing.
    pub fn suffixed<'v>(self, suffixed_name: &str, value: impl Into<Option<crate::Value<'v>>>) -> Result<Self> {
        let name = c_text(suffixed_name)?;
        let value = value.into().map_or(std::ptr::null_mut(), crate::Value::as_mut_ptr);
        self.with(|it, error| unsafe { sys::tonnx_attributes_set_suffixed(it, name.as_ptr(), value, error) })
    }

    /// Makes a call that changes the handle; it is owned, so no other reference exists.
    fn with(
        self,
        body: impl FnOnce(*mut sys::tonnx_attributes, *mut *mut sys::tonnx_error) -> sys::tonnx_status,
    ) -> Result<Self> {
        call(|error| body(self.as_ptr(), error))?;
        Ok(self)
    }
}
