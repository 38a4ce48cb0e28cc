//! `tonnx/libtorch.h`.

use std::os::raw::c_char;

use crate::base::{tonnx_error, tonnx_status};

functions! {
    pub fn tonnx_libtorch_version() -> u32;
    pub fn tonnx_libtorch_load(folder: *const c_char, error: *mut *mut tonnx_error) -> tonnx_status;
}
