//! Exports LibTorch programs as ONNX models, without Python.
//!
//! ```no_run
//! # fn main() -> tonnx::Result<()> {
//! use tonnx::{Args, Options, Program, Tensor};
//!
//! let program = Program::load("model.pt")?;
//! let args = Args::new()?.tensor(&Tensor::new(&[1, 3], &[0.5f32, 1.0, 1.5])?)?;
//! let model = program.export(&args, &Options::new()?.dynamic_axis("x", 0, "batch")?, None)?;
//! model.verify(&program, &args)?;
//! model.save("model.onnx")?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Program`] is an archive from a file, or (with the feature `tch`) a traced closure over `tch::Tensor`s. A
//! [`Registry`] contains your closures that convert an operator to ONNX nodes.
//!
//! Every handle frees itself, in any order: what a model needs of its program stays alive. Handles are `Send` and
//! `Sync`: methods with `&self` may run on several threads at once. A dropped handle cannot be used:
//!
//! ```compile_fail
//! # fn main() -> tonnx::Result<()> {
//! let program = tonnx::Program::load("model.pt")?;
//! drop(program);
//! program.methods();
//! # Ok(())
//! # }
//! ```
//!
//! Arguments of a closure inside an export or a trace are valid only during its call, which lifetimes enforce. An error
//! or a panic of a closure leaves the call that ran the closure unchanged: the error as [`Error`]'s source, the panic
//! as a panic.

#![deny(missing_docs, unnameable_types)]

mod args;
mod attributes;
mod carry;
mod contents;
mod dtype;
mod error;
mod graph;
mod handle;
mod mismatch;
mod model;
mod observer;
#[cfg(feature = "log")]
mod observer_log;
mod options;
mod program;
mod registry;
mod save_options;
mod tensor;
#[cfg(feature = "tch")]
mod torch;
mod trace;
mod trace_options;
mod verify_options;

pub use args::Args;
pub use attributes::Attributes;
pub use contents::{Contents, Kind};
pub use dtype::{Dtype, Element};
pub use error::{load, BoxError, Error, Reason, Result, Status};
pub use graph::{Graph, Node, Outcome, Use, Value};
pub use mismatch::Mismatch;
pub use model::{
    check_file, file_picture, file_text, infer_file, is_exporting, run_file, save_report, Bytes, Format, Model,
};
pub use observer::{Category, Event, EventKind, Level, Observer};
pub use options::{FixedDynamicAxes, InitializersAsInputs, Mode, OperatorExportType, Options, Target, Training};
pub use program::{load_operators, register_operator, Program};
pub use registry::{Entry, Registry};
pub use save_options::{ExternalData, SaveOptions};
pub use tensor::Tensor;
#[cfg(feature = "tch")]
pub use torch::{Outputs, Weights};
pub use trace::Trace;
pub use trace_options::TraceOptions;
pub use verify_options::VerifyOptions;

/// The library's version, "0.1.0".
///
/// # Panics
/// If the library cannot be loaded; see [`load`].
pub fn version() -> &'static str {
    // SAFETY: the text is a constant of the library.
    unsafe { handle::borrowed_text(tonnx_sys::tonnx_version()) }
}

/// The library's version as one number: `0x000100` is 0.1.0.
///
/// # Panics
/// If the library cannot be loaded; see [`load`].
pub fn version_number() -> u32 {
    // SAFETY: the call takes nothing.
    unsafe { tonnx_sys::tonnx_version_number() }
}

/// Versions of the libraries that tonnx is built with: "LibTorch 2.11.0, onnx 1.23.2".
///
/// # Panics
/// If the library cannot be loaded; see [`load`].
pub fn build_info() -> &'static str {
    // SAFETY: as above.
    unsafe { handle::borrowed_text(tonnx_sys::tonnx_build_info()) }
}

/// The version of the LibTorch that the process has loaded, itself or through tonnx: `0x020B00` is 2.11.0. 0 if there is none,
/// if there are several, or if it is older than 2.7.
///
/// # Panics
/// If the library cannot be loaded; see [`load`].
pub fn libtorch_version() -> u32 {
    // SAFETY: the call takes nothing.
    unsafe { tonnx_sys::tonnx_libtorch_version() }
}

/// Loads the LibTorch of a folder, which contains `libtorch_cpu.so` or `lib/libtorch_cpu.so`. Must be called before
/// anything else loads LibTorch. It stays loaded, even if tonnx has no backend for its version.
///
/// # Safety
/// The library's initialisers run, which can do anything.
pub unsafe fn load_libtorch(folder: impl AsRef<std::path::Path>) -> Result<()> {
    let folder = handle::c_path(folder.as_ref())?;
    error::call(|error| tonnx_sys::tonnx_libtorch_load(folder.as_ptr(), error))
}

/// The guide's snippets run as tests.
#[cfg(all(doctest, feature = "tch"))]
#[doc = include_str!("../../../../docs/rust.md")]
struct Guide;
