//! `tonnx/args.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{tonnx_args, tonnx_destroy_fn, tonnx_error, tonnx_status, tonnx_tensor};

functions! {
    pub fn tonnx_args_new(out: *mut *mut tonnx_args, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_load(
        out: *mut *mut tonnx_args,
        path: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_args_key(args: *mut tonnx_args, name: *const c_char, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_add_tensor(
        args: *mut tonnx_args,
        tensor: *const tonnx_tensor,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_args_add_int(args: *mut tonnx_args, value: i64, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_add_float(args: *mut tonnx_args, value: f64, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_add_bool(args: *mut tonnx_args, value: i32, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_add_string(
        args: *mut tonnx_args,
        value: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_args_add_none(args: *mut tonnx_args, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_begin_list(args: *mut tonnx_args, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_begin_tuple(args: *mut tonnx_args, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_begin_dict(args: *mut tonnx_args, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_end(args: *mut tonnx_args, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_args_extend(
        args: *mut tonnx_args,
        other: *const tonnx_args,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_args_tensor(
        out: *mut *mut tonnx_tensor,
        args: *const tonnx_args,
        index: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_args_fail(
        args: *mut tonnx_args,
        message: *const c_char,
        cause: *mut c_void,
        destroy: tonnx_destroy_fn,
    );
    pub fn tonnx_args_count(args: *const tonnx_args) -> usize;
    pub fn tonnx_args_free(args: *mut tonnx_args);
}
