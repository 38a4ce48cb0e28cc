//! `tonnx/version.h`.

pub const TONNX_VERSION_MAJOR: i32 = 0;
pub const TONNX_VERSION_MINOR: i32 = 1;
pub const TONNX_VERSION_PATCH: i32 = 0;
