//! `tonnx/model.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{
    tonnx_args, tonnx_buffer, tonnx_destroy_fn, tonnx_error, tonnx_model, tonnx_program, tonnx_report,
    tonnx_save_options, tonnx_status, tonnx_text_format, tonnx_verify_options, tonnx_write_fn, tonnx_writer,
};

pub type tonnx_serialize_fn =
    Option<unsafe extern "C" fn(model: *const tonnx_model, writer: *mut tonnx_writer, user_data: *mut c_void) -> i32>;

functions! {
    pub fn tonnx_model_save(
        model: *const tonnx_model,
        path: *const c_char,
        options: *const tonnx_save_options,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_write(
        model: *const tonnx_model,
        write: tonnx_write_fn,
        user_data: *mut c_void,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_write_fd(model: *const tonnx_model, fd: i32, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_model_serialize(
        model: *const tonnx_model,
        path: *const c_char,
        serialize: tonnx_serialize_fn,
        user_data: *mut c_void,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_writer_write(
        writer: *mut tonnx_writer,
        data: *const c_void,
        size: usize,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_writer_fail(
        writer: *mut tonnx_writer,
        message: *const c_char,
        cause: *mut c_void,
        destroy: tonnx_destroy_fn,
    );
    pub fn tonnx_model_bytes(
        out: *mut *mut tonnx_buffer,
        model: *const tonnx_model,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_text(
        out: *mut *mut tonnx_buffer,
        model: *const tonnx_model,
        format: tonnx_text_format,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_difference(
        out: *mut *mut tonnx_buffer,
        first: *const tonnx_model,
        second: *const tonnx_model,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_check(model: *const tonnx_model, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_model_verify(
        out_warnings: *mut *mut tonnx_buffer,
        model: *const tonnx_model,
        program: *const tonnx_program,
        args: *const tonnx_args,
        options: *const tonnx_verify_options,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_flat_inputs(
        out: *mut *mut tonnx_args,
        model: *const tonnx_model,
        args: *const tonnx_args,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_flat_outputs(
        out: *mut *mut tonnx_args,
        model: *const tonnx_model,
        results: *const tonnx_args,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_call(model: *const tonnx_model) -> *const c_char;
    pub fn tonnx_model_opset(model: *const tonnx_model) -> i32;
    pub fn tonnx_model_ir_version(model: *const tonnx_model) -> i32;
    pub fn tonnx_model_report(model: *const tonnx_model) -> *const tonnx_report;
    pub fn tonnx_model_free(model: *mut tonnx_model);
    pub fn tonnx_file_check(path: *const c_char, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_file_run(
        out: *mut *mut tonnx_args,
        out_names: *mut *mut tonnx_buffer,
        path: *const c_char,
        inputs: *const tonnx_args,
        options: *const tonnx_verify_options,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_file_infer(path: *const c_char, result: *const c_char, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_is_exporting() -> i32;
    pub fn tonnx_file_text(
        out: *mut *mut tonnx_buffer,
        path: *const c_char,
        format: tonnx_text_format,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_file_picture(
        out: *mut *mut tonnx_buffer,
        path: *const c_char,
        format: tonnx_text_format,
        mismatch: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
}
