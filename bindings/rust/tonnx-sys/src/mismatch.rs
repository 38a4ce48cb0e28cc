//! `tonnx/mismatch.h`.

use std::os::raw::c_char;

use crate::base::{
    tonnx_args, tonnx_contents, tonnx_error, tonnx_mismatch, tonnx_options, tonnx_program, tonnx_registry,
    tonnx_status, tonnx_verify_options,
};

functions! {
    pub fn tonnx_program_find_mismatch(
        out: *mut *mut tonnx_mismatch,
        program: *const tonnx_program,
        args: *const tonnx_args,
        options: *const tonnx_options,
        registry: *const tonnx_registry,
        verification: *const tonnx_verify_options,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_mismatch_found(mismatch: *const tonnx_mismatch) -> i32;
    pub fn tonnx_mismatch_leaf_count(mismatch: *const tonnx_mismatch) -> usize;
    pub fn tonnx_mismatch_leaf(mismatch: *const tonnx_mismatch, index: usize) -> *const c_char;
    pub fn tonnx_mismatch_text(mismatch: *const tonnx_mismatch) -> *const c_char;
    pub fn tonnx_mismatch_json(mismatch: *const tonnx_mismatch) -> *const c_char;
    pub fn tonnx_mismatch_save_part(
        mismatch: *const tonnx_mismatch,
        id: *const c_char,
        folder: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_mismatch_program_contents(
        out: *mut *mut tonnx_contents,
        mismatch: *const tonnx_mismatch,
        id: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_mismatch_model_contents(
        out: *mut *mut tonnx_contents,
        mismatch: *const tonnx_mismatch,
        id: *const c_char,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_mismatch_free(mismatch: *mut tonnx_mismatch);
}
