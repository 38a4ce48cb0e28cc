//! `tonnx/version.h`.

use std::os::raw::c_char;

pub const TONNX_VERSION_MAJOR: i32 = 0;
pub const TONNX_VERSION_MINOR: i32 = 1;
pub const TONNX_VERSION_PATCH: i32 = 0;
pub const TONNX_VERSION_NUMBER: i32 = 0x000100;

functions! {
    pub fn tonnx_version_number() -> u32;
    pub fn tonnx_version() -> *const c_char;
    pub fn tonnx_build_info() -> *const c_char;
}
