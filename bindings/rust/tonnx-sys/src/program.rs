//! `tonnx/program.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{
    tonnx_args, tonnx_buffer, tonnx_destroy_fn, tonnx_error, tonnx_options, tonnx_program, tonnx_status, tonnx_trace,
};

pub type tonnx_trace_fn = Option<unsafe extern "C" fn(trace: *mut tonnx_trace, user_data: *mut c_void) -> i32>;

extern "C" {
    pub fn tonnx_program_load(
        out: *mut *mut tonnx_program,
        path: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_program_load_bytes(
        out: *mut *mut tonnx_program,
        data: *const c_void,
        size: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_program_trace(
        out: *mut *mut tonnx_program,
        callback: tonnx_trace_fn,
        user_data: *mut c_void,
        destroy: tonnx_destroy_fn,
        args: *const tonnx_args,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_input_count(trace: *const tonnx_trace) -> usize;
    pub fn tonnx_trace_input(trace: *mut tonnx_trace, index: usize) -> *mut c_void;
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
    pub fn tonnx_trace_enter(
        trace: *mut tonnx_trace,
        type_: *const c_char,
        name: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_trace_leave(trace: *mut tonnx_trace, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_trace_fail(trace: *mut tonnx_trace, message: *const c_char);
    pub fn tonnx_program_method_count(program: *const tonnx_program) -> usize;
    pub fn tonnx_program_method(program: *const tonnx_program, index: usize) -> *const c_char;
    pub fn tonnx_program_text(
        out: *mut *mut tonnx_buffer,
        program: *const tonnx_program,
        args: *const tonnx_args,
        options: *const tonnx_options,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_program_free(program: *mut tonnx_program);
    pub fn tonnx_operators_load_library(path: *const c_char, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_operators_register(schema: *const c_char, error: *mut *mut tonnx_error) -> tonnx_status;
}
