//! The libraries of [tonnx](https://docs.rs/tonnx) for x86-64 Linux with glibc 2.34 or newer: `libtonnx.so.0`, and one
//! `libtonnx_torch-2.X.so` for each supported line of LibTorch. It does not contain LibTorch.
//!
//! The feature `bundled` of the crate `tonnx` depends on it. A program that is copied to another machine takes the files
//! along: beside itself, or in `../lib`.

/// The folder of the libraries, in the source of this crate.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/lib");
