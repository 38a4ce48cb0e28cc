//! `tonnx/base.h`.

use std::os::raw::c_void;

pub type tonnx_status = i32;
pub const TONNX_STATUS_OK: tonnx_status = 0;
pub const TONNX_STATUS_UNSUPPORTED: tonnx_status = 1;
pub const TONNX_STATUS_ARGUMENT: tonnx_status = 2;
pub const TONNX_STATUS_VERIFICATION: tonnx_status = 3;
pub const TONNX_STATUS_FILE: tonnx_status = 4;
pub const TONNX_STATUS_CALLBACK: tonnx_status = 5;
pub const TONNX_STATUS_CHECKER: tonnx_status = 6;
pub const TONNX_STATUS_PROGRAM: tonnx_status = 7;
pub const TONNX_STATUS_MEMORY: tonnx_status = 8;
pub const TONNX_STATUS_INTERNAL: tonnx_status = 9;
pub const TONNX_STATUS_WARNING: tonnx_status = 10;
pub const TONNX_STATUS_CANCELLED: tonnx_status = 11;

pub type tonnx_dtype = i32;
pub const TONNX_DTYPE_UINT8: tonnx_dtype = 0;
pub const TONNX_DTYPE_INT8: tonnx_dtype = 1;
pub const TONNX_DTYPE_INT16: tonnx_dtype = 2;
pub const TONNX_DTYPE_INT32: tonnx_dtype = 3;
pub const TONNX_DTYPE_INT64: tonnx_dtype = 4;
pub const TONNX_DTYPE_FLOAT16: tonnx_dtype = 5;
pub const TONNX_DTYPE_FLOAT32: tonnx_dtype = 6;
pub const TONNX_DTYPE_FLOAT64: tonnx_dtype = 7;
pub const TONNX_DTYPE_COMPLEX32: tonnx_dtype = 8;
pub const TONNX_DTYPE_COMPLEX64: tonnx_dtype = 9;
pub const TONNX_DTYPE_COMPLEX128: tonnx_dtype = 10;
pub const TONNX_DTYPE_BOOL: tonnx_dtype = 11;
pub const TONNX_DTYPE_QINT8: tonnx_dtype = 12;
pub const TONNX_DTYPE_QUINT8: tonnx_dtype = 13;
pub const TONNX_DTYPE_QINT32: tonnx_dtype = 14;
pub const TONNX_DTYPE_BFLOAT16: tonnx_dtype = 15;
pub const TONNX_DTYPE_FLOAT8E5M2: tonnx_dtype = 23;
pub const TONNX_DTYPE_FLOAT8E4M3FN: tonnx_dtype = 24;
pub const TONNX_DTYPE_FLOAT8E5M2FNUZ: tonnx_dtype = 25;
pub const TONNX_DTYPE_FLOAT8E4M3FNUZ: tonnx_dtype = 26;
pub const TONNX_DTYPE_UNDEFINED: tonnx_dtype = 255;
pub const TONNX_DTYPE_UINT16: tonnx_dtype = 27;
pub const TONNX_DTYPE_UINT32: tonnx_dtype = 28;
pub const TONNX_DTYPE_UINT64: tonnx_dtype = 29;
pub const TONNX_DTYPE_INT4: tonnx_dtype = 65;
pub const TONNX_DTYPE_UINT4: tonnx_dtype = 66;
pub const TONNX_DTYPE_INT2: tonnx_dtype = 67;
pub const TONNX_DTYPE_UINT2: tonnx_dtype = 68;
pub const TONNX_DTYPE_FLOAT4E2M1: tonnx_dtype = 69;
pub const TONNX_DTYPE_FLOAT8E8M0: tonnx_dtype = 70;

pub type tonnx_kind = i32;
pub const TONNX_KIND_NONE: tonnx_kind = 0;
pub const TONNX_KIND_TENSOR: tonnx_kind = 1;
pub const TONNX_KIND_INT: tonnx_kind = 2;
pub const TONNX_KIND_FLOAT: tonnx_kind = 3;
pub const TONNX_KIND_BOOL: tonnx_kind = 4;
pub const TONNX_KIND_STRING: tonnx_kind = 5;
pub const TONNX_KIND_LIST: tonnx_kind = 6;
pub const TONNX_KIND_TENSOR_LIST: tonnx_kind = 7;
pub const TONNX_KIND_OTHER: tonnx_kind = 8;
pub const TONNX_KIND_TYPE: tonnx_kind = 9;

pub type tonnx_text_format = i32;
pub const TONNX_TEXT_SHORT: tonnx_text_format = 0;
pub const TONNX_TEXT_FULL: tonnx_text_format = 1;
pub const TONNX_TEXT_SVG: tonnx_text_format = 2;
pub const TONNX_TEXT_HTML: tonnx_text_format = 3;

pub type tonnx_destroy_fn = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

pub type tonnx_write_fn = Option<
    unsafe extern "C" fn(writer: *mut tonnx_writer, data: *const c_void, size: usize, user_data: *mut c_void) -> i32,
>;

opaque! {
    tonnx_error,
    tonnx_buffer,
    tonnx_tensor,
    tonnx_args,
    tonnx_program,
    tonnx_trace,
    tonnx_trace_options,
    tonnx_verify_options,
    tonnx_save_options,
    tonnx_options,
    tonnx_registry,
    tonnx_attributes,
    tonnx_graph,
    tonnx_node,
    tonnx_value,
    tonnx_model,
    tonnx_report,
    tonnx_contents,
    tonnx_mismatch,
    tonnx_writer,
    tonnx_observer,
    tonnx_event,
}
