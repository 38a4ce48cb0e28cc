//! Example inputs of a program.
use std::path::Path;

use tonnx_sys as sys;

use crate::error::{call, Result};
use crate::handle::{c_path, c_text, handle};
use crate::tensor::Tensor;

handle! {
    /// Example inputs of a program: positional arguments, then keyword arguments. Tensors are shared, not copied.
    ///
    /// ```
    /// # fn main() -> tonnx::Result<()> {
    /// use tonnx::{Args, Tensor};
    ///
    /// let x = Tensor::new(&[2], &[1i64, 2])?;
    /// let args = Args::new()?.tensor(&x)?.list(|list| list.int(1)?.int(2))?.key("scale")?.float(0.5)?;
    /// assert_eq!(args.count(), 3);
    /// # Ok(())
    /// # }
    /// ```
    Args, tonnx_args, tonnx_args_free
}

impl Args {
    /// No arguments.
    pub fn new() -> Result<Self> {
        // SAFETY: the outputs live during the call.
        Self::make(|out, error| unsafe { sys::tonnx_args_new(out, error) })
    }

    /// Loads a file written by `torch.save`: a tensor, or a tuple of arguments whose last item may be a dict of keyword
    /// arguments.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        // SAFETY: the path lives during the call.
        Self::make(|out, error| unsafe { sys::tonnx_args_load(out, path.as_ptr(), error) })
    }

    /// Returns the positional argument at an index. It shares its elements; a number becomes a tensor of rank 0. It is
    /// an error if there is none, or if it is neither a tensor nor a number.
    pub fn get(&self, index: usize) -> Result<Tensor> {
        // SAFETY: the handle lives during the call.
        Tensor::make(|out, error| unsafe { sys::tonnx_args_tensor(out, self.as_ptr(), index, error) })
    }

    /// Names the next value: as keyword argument `name` or, inside a dict, as the value of that key.
    pub fn key(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|args, error| unsafe { sys::tonnx_args_key(args, name.as_ptr(), error) })
    }

    /// Adds a tensor.
    pub fn tensor(self, tensor: &Tensor) -> Result<Self> {
        self.with(|args, error| unsafe { sys::tonnx_args_add_tensor(args, tensor.as_ptr(), error) })
    }

    /// Adds an integer.
    pub fn int(self, value: i64) -> Result<Self> {
        self.with(|args, error| unsafe { sys::tonnx_args_add_int(args, value, error) })
    }

    /// Adds a floating-point number.
    pub fn float(self, value: f64) -> Result<Self> {
        self.with(|args, error| unsafe { sys::tonnx_args_add_float(args, value, error) })
    }

    /// Adds a boolean.
    pub fn bool(self, value: bool) -> Result<Self> {
        self.with(|args, error| unsafe { sys::tonnx_args_add_bool(args, value.into(), error) })
    }

    /// Adds a string.
    pub fn string(self, value: &str) -> Result<Self> {
        let value = c_text(value)?;
        self.with(|args, error| unsafe { sys::tonnx_args_add_string(args, value.as_ptr(), error) })
    }

    /// Adds None.
    pub fn none(self) -> Result<Self> {
        self.with(|args, error| unsafe { sys::tonnx_args_add_none(args, error) })
    }

    /// Adds a list of the values that the closure adds.
    pub fn list(self, fill: impl FnOnce(Self) -> Result<Self>) -> Result<Self> {
        fill(self.with(|args, error| unsafe { sys::tonnx_args_begin_list(args, error) })?)?.end()
    }

    /// Adds a tuple of the values that the closure adds.
    pub fn tuple(self, fill: impl FnOnce(Self) -> Result<Self>) -> Result<Self> {
        fill(self.with(|args, error| unsafe { sys::tonnx_args_begin_tuple(args, error) })?)?.end()
    }

    /// Adds a dict of the values that the closure adds; each value needs a [`key`](Self::key).
    pub fn dict(self, fill: impl FnOnce(Self) -> Result<Self>) -> Result<Self> {
        fill(self.with(|args, error| unsafe { sys::tonnx_args_begin_dict(args, error) })?)?.end()
    }

    /// Number of positional and keyword arguments.
    pub fn count(&self) -> usize {
        // SAFETY: the handle lives.
        unsafe { sys::tonnx_args_count(self.as_ptr()) }
    }

    fn end(self) -> Result<Self> {
        self.with(|args, error| unsafe { sys::tonnx_args_end(args, error) })
    }

    /// Makes a call that changes the handle; it is owned, so no other reference exists.
    fn with(
        self,
        body: impl FnOnce(*mut sys::tonnx_args, *mut *mut sys::tonnx_error) -> sys::tonnx_status,
    ) -> Result<Self> {
        call(|error| body(self.as_ptr(), error))?;
        Ok(self)
    }
}
