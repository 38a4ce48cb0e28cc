//! The error of a missing library. The only test of its process, which sets the environment.
#![cfg(not(feature = "linked"))]

#[test]
fn a_missing_library_is_a_dependency_error_and_a_file_error() {
    std::env::set_var("TONNX_LIBRARY", "/no/such/folder/libtonnx.so");
    let error = tonnx::load().unwrap_err();
    assert!(error.is("DependencyError") && error.is("FileError") && error.is("OnnxExporterError"));
    assert!(!error.is("ArgumentError"));
}
