//! `tonnx/trace.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{
    tonnx_args, tonnx_attributes, tonnx_destroy_fn, tonnx_error, tonnx_observer, tonnx_program, tonnx_status,
    tonnx_trace, tonnx_trace_options,
};

pub type tonnx_trace_fn = Option<unsafe extern "C" fn(trace: *mut tonnx_trace, user_data: *mut c_void) -> i32>;

pub type tonnx_resize_fn = Option<
    unsafe extern "C" fn(
        args: *mut tonnx_args,
        symbols: *const *const c_char,
        sizes: *const i64,
        count: usize,
        user_data: *mut c_void,
    ) -> i32,
>;

functions! {
    pub fn tonnx_trace_begin(
        out: *mut *mut tonnx_trace,
        args: *const tonnx_args,
        options: *const tonnx_trace_options,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_next(again: *mut i32, trace: *mut tonnx_trace, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_trace_end(
        out: *mut *mut tonnx_program,
        trace: *mut tonnx_trace,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_free(trace: *mut tonnx_trace);
    pub fn tonnx_program_trace(
        out: *mut *mut tonnx_program,
        callback: tonnx_trace_fn,
        user_data: *mut c_void,
        destroy: tonnx_destroy_fn,
        args: *const tonnx_args,
        options: *const tonnx_trace_options,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_input_count(trace: *const tonnx_trace) -> usize;
    pub fn tonnx_trace_input(trace: *mut tonnx_trace, index: usize) -> *mut c_void;
    pub fn tonnx_trace_new_input(
        out: *mut *mut c_void,
        trace: *mut tonnx_trace,
        index: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_weight(
        trace: *mut tonnx_trace,
        name: *const c_char,
        at_tensor: *const c_void,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_output(
        trace: *mut tonnx_trace,
        name: *const c_char,
        at_tensor: *const c_void,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_size(
        out: *mut *mut c_void,
        trace: *mut tonnx_trace,
        at_tensor: *const c_void,
        dim: i64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_enter(
        trace: *mut tonnx_trace,
        type_: *const c_char,
        name: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_leave(trace: *mut tonnx_trace, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_trace_begin_function(
        trace: *mut tonnx_trace,
        name: *const c_char,
        at_tensors: *const *const c_void,
        count: usize,
        arguments: *const tonnx_attributes,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_end_function(
        trace: *mut tonnx_trace,
        at_tensors: *const *const c_void,
        count: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_abandon_function(trace: *mut tonnx_trace, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_trace_fail(
        trace: *mut tonnx_trace,
        message: *const c_char,
        cause: *mut c_void,
        destroy: tonnx_destroy_fn,
    );
    pub fn tonnx_trace_options_new(out: *mut *mut tonnx_trace_options, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_trace_options_set_observer(
        options: *mut tonnx_trace_options,
        observer: *const tonnx_observer,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_options_free(options: *mut tonnx_trace_options);
}

// Made from options.json by scripts/options.py.
functions! {
    pub fn tonnx_trace_options_set_share_weights(
        options: *mut tonnx_trace_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_options_set_replay(
        options: *mut tonnx_trace_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_options_add_dynamic_axis(
        options: *mut tonnx_trace_options,
        input: usize,
        axis: i64,
        symbol: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_options_add_size(
        options: *mut tonnx_trace_options,
        symbol: *const c_char,
        size: i64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_options_set_allow_fixed_axes(
        options: *mut tonnx_trace_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_options_set_largest_size(
        options: *mut tonnx_trace_options,
        value: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_options_set_single_run(
        options: *mut tonnx_trace_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_options_set_other_values(
        options: *mut tonnx_trace_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_options_set_resize(
        options: *mut tonnx_trace_options,
        resize: tonnx_resize_fn,
        user_data: *mut c_void,
        destroy: tonnx_destroy_fn,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
}
// Made until here.
