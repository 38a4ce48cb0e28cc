//! `tonnx/program.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{
    tonnx_args, tonnx_buffer, tonnx_error, tonnx_model, tonnx_options, tonnx_program, tonnx_registry, tonnx_status,
    tonnx_text_format,
};

functions! {
    pub fn tonnx_program_export(
        out: *mut *mut tonnx_model,
        program: *const tonnx_program,
        args: *const tonnx_args,
        options: *const tonnx_options,
        registry: *const tonnx_registry,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_program_export_difference(
        out: *mut *mut tonnx_buffer,
        program: *const tonnx_program,
        groups: *const *const tonnx_args,
        count: usize,
        options: *const tonnx_options,
        registry: *const tonnx_registry,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
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
    pub fn tonnx_program_with_weights(
        out: *mut *mut tonnx_program,
        program: *const tonnx_program,
        path: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_program_compile(
        out: *mut *mut tonnx_program,
        source: *const c_char,
        file: *const c_char,
        attributes: *const tonnx_args,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_program_from_module(
        out: *mut *mut tonnx_program,
        jit_module: *const c_void,
        share_weights: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_program_method_count(program: *const tonnx_program) -> usize;
    pub fn tonnx_program_method(program: *const tonnx_program, index: usize) -> *const c_char;
    pub fn tonnx_program_text(
        out: *mut *mut tonnx_buffer,
        program: *const tonnx_program,
        args: *const tonnx_args,
        options: *const tonnx_options,
        format: tonnx_text_format,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_program_free(program: *mut tonnx_program);
    pub fn tonnx_operators_load_library(path: *const c_char, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_operators_register(schema: *const c_char, error: *mut *mut tonnx_error) -> tonnx_status;
}
