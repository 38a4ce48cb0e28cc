//! Tensors of example inputs, constants and results.
use std::ffi::c_void;
use std::mem::size_of;
use std::ptr::{null_mut, NonNull};

use tonnx_sys as sys;

use crate::dtype::{Dtype, Element};
use crate::error::{call, Error, Result, Status};
use crate::handle::{borrowed_items, handle};

type ToDlpack<T> = fn(*mut *mut T, *const sys::tonnx_tensor, *mut *mut sys::tonnx_error) -> sys::tonnx_status;

handle! {
    /// A tensor of example inputs, constants or results. Immutable.
    Tensor, tonnx_tensor, tonnx_tensor_free
}

impl Tensor {
    /// Copies row-major elements; their number must match `dims`.
    pub fn new<T: Element>(dims: &[i64], elements: &[T]) -> Result<Self> {
        // SAFETY: the elements have no padding, and live during the call.
        unsafe { Self::copy_from(T::DTYPE, dims, elements.as_ptr().cast(), std::mem::size_of_val(elements)) }
    }

    /// Copies row-major elements of any dtype, in native byte order.
    pub fn from_bytes(dtype: Dtype, dims: &[i64], bytes: &[u8]) -> Result<Self> {
        // SAFETY: the bytes live during the call.
        unsafe { Self::copy_from(dtype, dims, bytes.as_ptr().cast(), bytes.len()) }
    }

    /// Takes row-major elements without copying them.
    pub fn from_vec<T: Element>(dims: &[i64], elements: Vec<T>) -> Result<Self> {
        let count = dims.iter().try_fold(1i64, |product, dim| product.checked_mul(*dim));
        if count.and_then(|count| usize::try_from(count).ok()) != Some(elements.len()) {
            return Err(Error::argument(format!("{} elements do not fit the dims {dims:?}", elements.len())));
        }
        unsafe extern "C" fn destroy<T>(elements: *mut c_void) {
            drop(Box::from_raw(elements.cast::<Vec<T>>()));
        }
        let data = elements.as_ptr().cast();
        let owner = Box::into_raw(Box::new(elements)).cast();
        // SAFETY: the number of elements matches the dims. They do not move, and live until destroy, which may run on
        // any thread: they are Send. The owner is taken, also on failure.
        Self::make(|out, error| unsafe {
            let strides = std::ptr::null();
            let destroy = Some(destroy::<T> as unsafe extern "C" fn(*mut c_void));
            let (dims, rank) = (dims.as_ptr(), dims.len());
            sys::tonnx_tensor_new_borrowed(out, T::DTYPE.raw(), dims, strides, rank, data, owner, destroy, error)
        })
    }

    /// Shares the storage of an `at::Tensor`. A tensor on another device is copied to the host; a trace receives it on
    /// its device.
    ///
    /// # Safety
    /// `at_tensor` points to an `at::Tensor` of the LibTorch of the process, and its elements are not
    /// written to while this tensor or anything made of it lives.
    pub unsafe fn from_torch(at_tensor: *const c_void) -> Result<Self> {
        Self::make(|out, error| sys::tonnx_tensor_from_torch(out, at_tensor, error))
    }

    /// Takes a `DLManagedTensor`, also on failure: its deleter runs when the tensor is freed, on any thread.
    ///
    /// # Safety
    /// `managed` points to a valid `DLManagedTensor` on the CPU that is not freed or written to elsewhere.
    pub unsafe fn from_dlpack(managed: *mut c_void) -> Result<Self> {
        Self::make(|out, error| sys::tonnx_tensor_from_dlpack(out, managed.cast(), error))
    }

    /// Takes a `DLManagedTensorVersioned`, also on failure: its deleter runs when the tensor is freed, on any thread.
    ///
    /// # Safety
    /// `managed` points to a valid `DLManagedTensorVersioned` on the CPU that is not freed or written to elsewhere.
    pub unsafe fn from_dlpack_versioned(managed: *mut c_void) -> Result<Self> {
        Self::make(|out, error| sys::tonnx_tensor_from_dlpack_versioned(out, managed.cast(), error))
    }

    /// Returns a new `at::Tensor` with a copy of the elements. The caller deletes it, or passes it to a type that owns
    /// it. With the feature `tch`, use `tch::Tensor::try_from(&tensor)`.
    pub fn to_torch(&self) -> Result<NonNull<c_void>> {
        // SAFETY: as in `to_host`.
        self.to_host(|out, tensor, error| unsafe { sys::tonnx_tensor_to_torch(out, tensor, error) })
    }

    /// Returns a new `DLManagedTensor` with a copy of the elements; the consumer calls its deleter.
    pub fn to_dlpack(&self) -> Result<NonNull<c_void>> {
        // SAFETY: as in `to_host`.
        self.to_host(|out, tensor, error| unsafe { sys::tonnx_tensor_to_dlpack(out, tensor, error) }).map(NonNull::cast)
    }

    /// Returns a new `DLManagedTensorVersioned` with a copy of the elements; the consumer calls its deleter.
    pub fn to_dlpack_versioned(&self) -> Result<NonNull<c_void>> {
        // SAFETY: as in `to_host`.
        self.to_host(|out, tensor, error| unsafe { sys::tonnx_tensor_to_dlpack_versioned(out, tensor, error) })
            .map(NonNull::cast)
    }

    fn to_host<T>(&self, to_dlpack: ToDlpack<T>) -> Result<NonNull<T>> {
        let mut out = null_mut();
        // SAFETY: the handle lives.
        call(|error| to_dlpack(&mut out, self.as_ptr(), error))?;
        NonNull::new(out).ok_or_else(|| Error::argument("the call returned no tensor"))
    }

    /// The type of the elements.
    pub fn dtype(&self) -> Dtype {
        // SAFETY: the handle lives.
        Dtype::from_raw(unsafe { sys::tonnx_tensor_dtype(self.as_ptr()) })
    }

    /// The sizes of the axes.
    pub fn dims(&self) -> &[i64] {
        // SAFETY: the numbers are borrowed from the handle, which lives as long as `self`.
        unsafe { borrowed_items(sys::tonnx_tensor_dims(self.as_ptr()), sys::tonnx_tensor_rank(self.as_ptr())) }
    }

    /// A copy of the row-major elements in native byte order. `Status::File` if the archive that contains them is gone or was
    /// cut off.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        // SAFETY: the handle lives, and the vector has room for `size` bytes.
        let size = unsafe { sys::tonnx_tensor_size(self.as_ptr()) };
        let mut bytes = vec![0; size];
        call(|error| unsafe { sys::tonnx_tensor_read(self.as_ptr(), 0, bytes.as_mut_ptr().cast(), size, error) })?;
        Ok(bytes)
    }

    /// Same as [`bytes`](Self::bytes), without a copy. `Status::File` if the archive that contains them is gone.
    ///
    /// # Safety
    /// The bytes of an archive's weight are a mapping of its file, which must not be written to or cut off meanwhile.
    pub unsafe fn mapped_bytes(&self) -> Result<&[u8]> {
        let size = sys::tonnx_tensor_size(self.as_ptr());
        let data = sys::tonnx_tensor_data(self.as_ptr());
        if data.is_null() && size > 0 {
            return Err(Error::new(Status::File, "FileError", "the tensor's elements cannot be read from its file"));
        }
        Ok(borrowed_items(data.cast(), size))
    }

    /// A copy of the elements. `Status::Argument` if the tensor has another dtype.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if self.dtype() != T::DTYPE {
            return Err(Error::argument(format!("the tensor's elements are {}, not {}", self.dtype(), T::DTYPE)));
        }
        Ok(self.bytes()?.chunks_exact(size_of::<T>()).map(T::read).collect())
    }

    /// # Safety
    /// `data` points to `size` bytes.
    unsafe fn copy_from(dtype: Dtype, dims: &[i64], data: *const c_void, size: usize) -> Result<Self> {
        Self::make(|out, error| sys::tonnx_tensor_new(out, dtype.raw(), dims.as_ptr(), dims.len(), data, size, error))
    }
}
