//! `tonnx/contents.h`.

use std::os::raw::c_char;

use crate::base::{
    tonnx_args, tonnx_contents, tonnx_error, tonnx_graph, tonnx_model, tonnx_options, tonnx_program, tonnx_status,
    tonnx_value,
};

functions! {
    pub fn tonnx_model_contents(
        out: *mut *mut tonnx_contents,
        model: *const tonnx_model,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_program_contents(
        out: *mut *mut tonnx_contents,
        program: *const tonnx_program,
        args: *const tonnx_args,
        options: *const tonnx_options,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_contents_input_count(contents: *const tonnx_contents) -> usize;
    pub fn tonnx_contents_input(contents: *const tonnx_contents, index: usize) -> *const tonnx_value;
    pub fn tonnx_contents_output_count(contents: *const tonnx_contents) -> usize;
    pub fn tonnx_contents_output(contents: *const tonnx_contents, index: usize) -> *const tonnx_value;
    pub fn tonnx_contents_weight_count(contents: *const tonnx_contents) -> usize;
    pub fn tonnx_contents_weight(contents: *const tonnx_contents, index: usize) -> *const tonnx_value;
    pub fn tonnx_contents_operator_count(contents: *const tonnx_contents) -> usize;
    pub fn tonnx_contents_operator(contents: *const tonnx_contents, index: usize) -> *const c_char;
    pub fn tonnx_contents_operator_uses(contents: *const tonnx_contents, index: usize) -> usize;
    pub fn tonnx_contents_graph(contents: *const tonnx_contents) -> *const tonnx_graph;
    pub fn tonnx_contents_free(contents: *mut tonnx_contents);
}
