//! The library that was linked is the one whose headers were declared.
use std::ffi::CStr;
use tonnx_sys::*;

#[test]
fn the_library_runs_and_has_the_declared_version() {
    let version = unsafe { CStr::from_ptr(tonnx_version()) }.to_str().unwrap();
    assert_eq!(version, format!("{TONNX_VERSION_MAJOR}.{TONNX_VERSION_MINOR}.{TONNX_VERSION_PATCH}"));
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert_eq!(unsafe { tonnx_version_number() }, TONNX_VERSION_NUMBER as u32);
    assert_eq!(TONNX_VERSION_NUMBER, TONNX_VERSION_MAJOR << 16 | TONNX_VERSION_MINOR << 8 | TONNX_VERSION_PATCH);
}

#[test]
fn null_handles_are_refused_and_may_be_freed() {
    unsafe {
        let mut error = std::ptr::null_mut();
        assert_eq!(tonnx_model_check(std::ptr::null(), &mut error), TONNX_STATUS_ARGUMENT);
        assert_eq!(tonnx_error_status(error), TONNX_STATUS_ARGUMENT);
        assert_eq!(CStr::from_ptr(tonnx_error_message(error)).to_str(), Ok("argument 'model' is NULL"));
        tonnx_error_free(error);
        tonnx_error_free(std::ptr::null_mut());
        tonnx_model_free(std::ptr::null_mut());
        assert_eq!(tonnx_args_count(std::ptr::null()), 0);
    }
}
