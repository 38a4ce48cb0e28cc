//! `tonnx/model.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{
    tonnx_args, tonnx_buffer, tonnx_error, tonnx_model, tonnx_observer, tonnx_options, tonnx_program, tonnx_registry,
    tonnx_report, tonnx_status, tonnx_verify_options, tonnx_write_fn, tonnx_writer,
};

pub const TONNX_EXTERNAL_DATA_AUTO: i32 = 0;
pub const TONNX_EXTERNAL_DATA_YES: i32 = 1;
pub const TONNX_EXTERNAL_DATA_NO: i32 = 2;
pub const TONNX_EXTERNAL_DATA_ARCHIVE: i32 = 3;
pub const TONNX_EXTERNAL_DATA_EACH: i32 = 4;
pub const TONNX_TEXT_SHORT: i32 = 0;
pub const TONNX_TEXT_FULL: i32 = 1;
pub const TONNX_TEXT_SVG: i32 = 2;
pub const TONNX_TEXT_HTML: i32 = 3;

pub type tonnx_serialize_fn =
    Option<unsafe extern "C" fn(model: *const tonnx_model, writer: *mut tonnx_writer, user_data: *mut c_void) -> i32>;

functions! {
    pub fn tonnx_program_export(
        out: *mut *mut tonnx_model,
        program: *const tonnx_program,
        args: *const tonnx_args,
        options: *const tonnx_options,
        registry: *const tonnx_registry,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_save(
        model: *const tonnx_model,
        path: *const c_char,
        external_data: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_save_observed(
        model: *const tonnx_model,
        path: *const c_char,
        external_data: i32,
        observer: *const tonnx_observer,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_write(
        model: *const tonnx_model,
        write: tonnx_write_fn,
        user_data: *mut c_void,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_write_fd(model: *const tonnx_model, fd: i32, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_model_save_with(
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
    pub fn tonnx_writer_fail(writer: *mut tonnx_writer, message: *const c_char);
    pub fn tonnx_model_bytes(
        out: *mut *mut tonnx_buffer,
        model: *const tonnx_model,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_text(
        out: *mut *mut tonnx_buffer,
        model: *const tonnx_model,
        format: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_difference(
        out: *mut *mut tonnx_buffer,
        first: *const tonnx_model,
        second: *const tonnx_model,
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
    pub fn tonnx_model_check(model: *const tonnx_model, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_model_verify(
        model: *const tonnx_model,
        program: *const tonnx_program,
        args: *const tonnx_args,
        rtol: f64,
        atol: f64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_model_verify_with(
        out_warnings: *mut *mut tonnx_buffer,
        model: *const tonnx_model,
        program: *const tonnx_program,
        args: *const tonnx_args,
        options: *const tonnx_verify_options,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_new(out: *mut *mut tonnx_verify_options, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_verify_options_set_observer(
        options: *mut tonnx_verify_options,
        observer: *const tonnx_observer,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_free(options: *mut tonnx_verify_options);
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
    pub fn tonnx_model_input_count(model: *const tonnx_model) -> usize;
    pub fn tonnx_model_input_name(model: *const tonnx_model, index: usize) -> *const c_char;
    pub fn tonnx_model_output_count(model: *const tonnx_model) -> usize;
    pub fn tonnx_model_output_name(model: *const tonnx_model, index: usize) -> *const c_char;
    pub fn tonnx_model_opset(model: *const tonnx_model) -> i32;
    pub fn tonnx_model_ir_version(model: *const tonnx_model) -> i32;
    pub fn tonnx_model_report(model: *const tonnx_model) -> *const tonnx_report;
    pub fn tonnx_report_warning_count(report: *const tonnx_report) -> usize;
    pub fn tonnx_report_warning(report: *const tonnx_report, index: usize) -> *const c_char;
    pub fn tonnx_report_save(
        path: *const c_char,
        report: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_report_json(report: *const tonnx_report) -> *const c_char;
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
        format: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
}

// Made from options.json by scripts/options.py.
functions! {
    pub fn tonnx_verify_options_set_rtol(
        options: *mut tonnx_verify_options,
        value: f64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_set_atol(
        options: *mut tonnx_verify_options,
        value: f64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_set_accepted_share(
        options: *mut tonnx_verify_options,
        value: f64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_set_check_dtype(
        options: *mut tonnx_verify_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_set_check_shape(
        options: *mut tonnx_verify_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_set_provider(
        options: *mut tonnx_verify_options,
        value: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_add_runtime_library(
        options: *mut tonnx_verify_options,
        name: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_add_size(
        options: *mut tonnx_verify_options,
        symbol: *const c_char,
        size: i64,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_set_other_sizes(
        options: *mut tonnx_verify_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_set_every_operator(
        options: *mut tonnx_verify_options,
        enabled: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
}
// Made until here.
