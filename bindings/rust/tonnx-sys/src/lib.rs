//! The C API of [tonnx](https://docs.rs/tonnx), which exports LibTorch programs as ONNX models.
//!
//! One module per header, with only the declarations of the header. The headers (`tonnx.h` first) document what each
//! function does, ownership, and which calls may run at once. The crate `tonnx` is the safe interface.
//!
//! With the feature `load-dynamic`, the default, the library is loaded at the first call; [`load`] says where it is
//! searched. A function panics if there is none, so call [`load`] first. Nothing is linked and no path is stored.
//!
//! With the feature `linked` the library is linked. The build script searches it in the folder `TONNX_DIR` (where tonnx was
//! installed or built), then asks pkg-config. Dependents receive the library's folder in `DEP_TONNX_LIBDIR`.
//! `linked` wins if both features are on.
#![allow(non_camel_case_types)]

#[cfg(not(any(feature = "linked", feature = "load-dynamic")))]
compile_error!("choose a feature of tonnx-sys: load-dynamic or linked");

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

/// Functions of the library: linked, or looked up at the first call.
macro_rules! functions {
    ($(pub fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        #[cfg(feature = "linked")]
        extern "C" {
            $(pub fn $name($($argument: $type),*) $(-> $result)?;)*
        }
        $(
            #[cfg(not(feature = "linked"))]
            #[allow(clippy::missing_safety_doc, clippy::too_many_arguments)]
            pub unsafe fn $name($($argument: $type),*) $(-> $result)? {
                static ADDRESS: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
                let address = *ADDRESS.get_or_init(|| $crate::library::address(concat!(stringify!($name), "\0")));
                let function: unsafe extern "C" fn($($type),*) $(-> $result)? = std::mem::transmute(address);
                function($($argument),*)
            }
        )*
    };
}

mod args;
mod base;
mod buffer;
mod contents;
mod error;
mod graph;
#[cfg(not(feature = "linked"))]
mod library;
mod libtorch;
mod mismatch;
mod model;
mod observer;
mod options;
mod program;
mod registry;
mod report;
mod save_options;
mod tensor;
mod trace;
mod verify_options;
mod version;

pub use args::*;
pub use base::*;
pub use buffer::*;
pub use contents::*;
pub use error::*;
pub use graph::*;
pub use libtorch::*;
pub use mismatch::*;
pub use model::*;
pub use observer::*;
pub use options::*;
pub use program::*;
pub use registry::*;
pub use report::*;
pub use save_options::*;
pub use tensor::*;
pub use trace::*;
pub use verify_options::*;
pub use version::*;

/// Loads the library, and says why it cannot be loaded. Call it before any other function; later calls cost a comparison.
///
/// `TONNX_LIBRARY` names the library or its folder (empty: unset). Otherwise it is searched beside the executable, in `../lib` beside it,
/// in the crate `tonnx-linux-x64` (feature `bundled`; where that crate was when the program was built), and where the
/// loader searches for `libtonnx.so.0`. The same library is used until the process ends. With the feature `linked` it is
/// there already. A library of another major version, before 1.0 of another minor version, is an error.
pub fn load() -> Result<(), &'static str> {
    #[cfg(not(feature = "linked"))]
    library::get()?;
    Ok(())
}
