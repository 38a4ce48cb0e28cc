//! The C API of [tonnx](https://docs.rs/tonnx), which turns LibTorch programs into ONNX models.
//!
//! One module a header, each with the header's declarations and nothing else. The headers (`tonnx.h` first) say what
//! each function does, who owns what, and which calls may run at once. The crate `tonnx` is the safe way in.
//!
//! The build script looks for the library in the folder `TONNX_DIR` (where tonnx was installed or built), then asks
//! pkg-config. Dependents learn the library's folder from `DEP_TONNX_LIBDIR`.
#![allow(non_camel_case_types)]

/// Types whose content only the library knows.
macro_rules! opaque {
    ($($name:ident,)*) => {$(
        #[repr(C)]
        pub struct $name {
            _data: [u8; 0],
            _marker: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
        }
    )*};
}

mod args;
mod base;
mod error;
mod graph;
mod mismatch;
mod model;
mod options;
mod program;
mod registry;
mod tensor;
mod trace;
mod version;

pub use args::*;
pub use base::*;
pub use error::*;
pub use graph::*;
pub use mismatch::*;
pub use model::*;
pub use options::*;
pub use program::*;
pub use registry::*;
pub use tensor::*;
pub use trace::*;
pub use version::*;
