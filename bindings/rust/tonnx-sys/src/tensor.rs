//! `tonnx/tensor.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{tonnx_destroy_fn, tonnx_dtype, tonnx_error, tonnx_status, tonnx_tensor};

/// DLPack's unversioned struct.
#[repr(C)]
pub struct DLManagedTensor {
    _data: [u8; 0],
}

/// DLPack's versioned struct.
#[repr(C)]
pub struct DLManagedTensorVersioned {
    _data: [u8; 0],
}

functions! {
    pub fn tonnx_tensor_new(
        out: *mut *mut tonnx_tensor,
        dtype: tonnx_dtype,
        dims: *const i64,
        rank: usize,
        data: *const c_void,
        size: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_tensor_new_borrowed(
        out: *mut *mut tonnx_tensor,
        dtype: tonnx_dtype,
        dims: *const i64,
        strides: *const i64,
        rank: usize,
        data: *const c_void,
        user_data: *mut c_void,
        destroy: tonnx_destroy_fn,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_tensor_from_torch(
        out: *mut *mut tonnx_tensor,
        at_tensor: *const c_void,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_tensor_from_dlpack(
        out: *mut *mut tonnx_tensor,
        managed_tensor: *mut DLManagedTensor,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_tensor_from_dlpack_versioned(
        out: *mut *mut tonnx_tensor,
        managed_tensor: *mut DLManagedTensorVersioned,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_tensor_to_torch(
        out: *mut *mut c_void,
        tensor: *const tonnx_tensor,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_tensor_delete_torch(at_tensor: *mut c_void);
    pub fn tonnx_tensor_to_dlpack(
        out: *mut *mut DLManagedTensor,
        tensor: *const tonnx_tensor,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_tensor_to_dlpack_versioned(
        out: *mut *mut DLManagedTensorVersioned,
        tensor: *const tonnx_tensor,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_tensor_dtype(tensor: *const tonnx_tensor) -> tonnx_dtype;
    pub fn tonnx_tensor_rank(tensor: *const tonnx_tensor) -> usize;
    pub fn tonnx_tensor_dims(tensor: *const tonnx_tensor) -> *const i64;
    pub fn tonnx_tensor_read(
        tensor: *const tonnx_tensor,
        begin: usize,
        into: *mut c_void,
        size: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_tensor_data(tensor: *const tonnx_tensor) -> *const c_void;
    pub fn tonnx_tensor_size(tensor: *const tonnx_tensor) -> usize;
    pub fn tonnx_tensor_free(tensor: *mut tonnx_tensor);
    pub fn tonnx_dtype_name(dtype: tonnx_dtype) -> *const c_char;
    pub fn tonnx_dtype_from_name(name: *const c_char) -> tonnx_dtype;
    pub fn tonnx_dtype_bits(dtype: tonnx_dtype) -> usize;
    pub fn tonnx_dtype_size(dtype: tonnx_dtype) -> usize;
}
