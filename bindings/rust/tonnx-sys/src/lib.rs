//! The C API of [tonnx](https://docs.rs/tonnx), which exports LibTorch programs as ONNX models.
//!
//! One module per header, with only the declarations of the header. The headers (`tonnx.h` first) document what each
//! function does, ownership, and which calls may run at once. The crate `tonnx` is the safe interface.
//!
//! The build script searches the library in the folder `TONNX_DIR` (where tonnx was installed or built), then asks
//! pkg-config. Dependents receive the library's folder in `DEP_TONNX_LIBDIR`.
#![allow(non_camel_case_types)]

/// Opaque types.
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
mod libtorch;
mod mismatch;
mod model;
mod observer;
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
pub use libtorch::*;
pub use mismatch::*;
pub use model::*;
pub use observer::*;
pub use options::*;
pub use program::*;
pub use registry::*;
pub use tensor::*;
pub use trace::*;
pub use version::*;
