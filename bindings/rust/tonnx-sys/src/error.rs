//! `tonnx/error.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{tonnx_destroy_fn, tonnx_error, tonnx_status};

functions! {
    pub fn tonnx_error_status(error: *const tonnx_error) -> tonnx_status;
    pub fn tonnx_error_message(error: *const tonnx_error) -> *const c_char;
    pub fn tonnx_error_class(error: *const tonnx_error) -> *const c_char;
    pub fn tonnx_error_class_is(class_name: *const c_char, base: *const c_char) -> i32;
    pub fn tonnx_error_reason_count(error: *const tonnx_error) -> usize;
    pub fn tonnx_error_reason_operator(error: *const tonnx_error, index: usize) -> *const c_char;
    pub fn tonnx_error_reason_text(error: *const tonnx_error, index: usize) -> *const c_char;
    pub fn tonnx_error_reason_module(error: *const tonnx_error, index: usize) -> *const c_char;
    pub fn tonnx_error_reason_source(error: *const tonnx_error, index: usize) -> *const c_char;
    pub fn tonnx_error_reason_places(error: *const tonnx_error, index: usize) -> i64;
    pub fn tonnx_error_cause(error: *const tonnx_error, destroy: tonnx_destroy_fn) -> *mut c_void;
    pub fn tonnx_error_report(error: *const tonnx_error) -> *const c_char;
    pub fn tonnx_error_free(error: *mut tonnx_error);
    pub fn tonnx_status_name(status: tonnx_status) -> *const c_char;
}
