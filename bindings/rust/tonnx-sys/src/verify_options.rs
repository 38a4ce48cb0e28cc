//! `tonnx/verify_options.h`.

use std::os::raw::c_char;

use crate::base::{tonnx_error, tonnx_observer, tonnx_status, tonnx_verify_options};

functions! {
    pub fn tonnx_verify_options_new(out: *mut *mut tonnx_verify_options, error: *mut *mut tonnx_error) -> tonnx_status;
    pub fn tonnx_verify_options_set_observer(
        options: *mut tonnx_verify_options,
        observer: *const tonnx_observer,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_verify_options_free(options: *mut tonnx_verify_options);
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
    pub fn tonnx_verify_options_add_operator_tolerance(
        options: *mut tonnx_verify_options,
        name: *const c_char,
        rtol: f64,
        atol: f64,
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
