//! Finished ONNX models.
use std::ffi::c_void;
use std::io::Write;
use std::ops::Deref;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::ptr::{null, null_mut};

use tonnx_sys as sys;

use crate::args::Args;
use crate::carry::{collect, fail, guard};
use crate::error::{call, settle, Result};
use crate::graph::Value;
use crate::handle::{borrowed_items, borrowed_text, c_path, c_text, handle};
use crate::program::Program;
use crate::save_options::SaveOptions;
use crate::tensor::Tensor;
use crate::verify_options::VerifyOptions;

/// A model's text form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One line per node.
    #[default]
    Short,
    /// The protobuf message as text, without the bytes of the weights.
    Full,
    /// A picture of the graph by module.
    Svg,
    /// A page for a web browser with the same picture; modules open and close.
    Html,
}

handle! {
    /// Bytes returned by a call; they dereference to a slice.
    Bytes, tonnx_buffer, tonnx_buffer_free
}

handle! {
    /// A finished ONNX model: its graph is in memory, its weights stay in the archive.
    Model, tonnx_model, tonnx_model_free
}

impl Model {
    /// Writes the model; above 2 GiB its weights are written to a second file. Each file appears complete or not at
    /// all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, &SaveOptions::default())
    }

    /// Same as [`save`](Model::save), with options.
    ///
    /// # Panics
    /// If the observer of the options panicked, with its payload.
    pub fn save_with(&self, path: impl AsRef<Path>, options: &SaveOptions) -> Result<()> {
        let path = c_path(path.as_ref())?;
        let options = options.native()?;
        let (result, thrown) = collect(|| {
            // SAFETY: the handles and the path live during the call.
            call(|error| unsafe { sys::tonnx_model_save(self.as_ptr(), path.as_ptr(), options.as_ptr(), error) })
        });
        settle(result, thrown)
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> Result<Bytes> {
        // SAFETY: the handles live during the call; the same for all below.
        Bytes::make(|out, error| unsafe { sys::tonnx_model_bytes(out, self.as_ptr(), error) })
    }

    /// Passes the bytes of the file to a writer, in order. The writer's error is the source of the returned error.
    ///
    /// # Panics
    /// If the writer panicked, with its payload.
    pub fn write_to(&self, mut writer: impl Write) -> Result<()> {
        unsafe extern "C" fn write(
            writer: *mut sys::tonnx_writer,
            data: *const c_void,
            size: usize,
            user_data: *mut c_void,
        ) -> i32 {
            let target = &mut *user_data.cast::<&mut dyn Write>();
            match guard(|| Ok(target.write_all(borrowed_items(data.cast(), size))?)) {
                Ok(()) => 0,
                Err(thrown) => {
                    fail(thrown, |message, cause, destroy| sys::tonnx_writer_fail(writer, message, cause, destroy));
                    1
                }
            }
        }
        let mut target: &mut dyn Write = &mut writer;
        let user_data: *mut &mut dyn Write = &mut target;
        let (result, thrown) = collect(|| {
            call(|error| unsafe { sys::tonnx_model_write(self.as_ptr(), Some(write), user_data.cast(), error) })
        });
        settle(result, thrown)
    }

    /// Writes to an open file descriptor at its position.
    pub fn write_to_fd(&self, fd: impl AsFd) -> Result<()> {
        call(|error| unsafe { sys::tonnx_model_write_fd(self.as_ptr(), fd.as_fd().as_raw_fd(), error) })
    }

    /// The model as text.
    pub fn text(&self, format: Format) -> Result<String> {
        let text = Bytes::make(|out, error| unsafe { sys::tonnx_model_text(out, self.as_ptr(), format.raw(), error) })?;
        Ok(text.into_text())
    }

    /// Describes the first node at which this model and the other one differ: an operator, attribute, constant or
    /// weight, or another source of a value. Empty if they are equal, whatever their sizes.
    pub fn difference(&self, other: &Model) -> Result<String> {
        let text = Bytes::make(|out, error| unsafe {
            sys::tonnx_model_difference(out, self.as_ptr(), other.as_ptr(), error)
        })?;
        Ok(text.into_text())
    }

    /// Runs the ONNX checker; `Status::Checker`, with its message, if the model is invalid.
    pub fn check(&self) -> Result<()> {
        call(|error| unsafe { sys::tonnx_model_check(self.as_ptr(), error) })
    }

    /// Runs the model in ONNX Runtime and the program in LibTorch on `args`, and compares count, dtype, shape and
    /// values of the results, at the example's sizes and at another size of each dynamic axis. A traced program is
    /// compared with the results of its closure, and needs no args.
    ///
    /// `Status::Verification` reports the first output that differs, the element, and by how much; `Status::Argument`
    /// the inputs that do not fit the model; `Status::File` that ONNX Runtime is too old for the model or cannot be
    /// loaded (it is searched at $TONNX_ONNXRUNTIME, then where the loader searches).
    pub fn verify<'s>(&self, program: &Program, args: impl Into<Option<&'s Args>>) -> Result<()> {
        let args = args.into().map_or(null_mut(), |args| args.as_ptr());
        call(|error| unsafe {
            sys::tonnx_model_verify(null_mut(), self.as_ptr(), program.as_ptr(), args, null(), error)
        })
    }

    /// [`verify`](Self::verify) with options. Returns a line for each thing that could not be verified: dynamic axes at
    /// whose other sizes LibTorch itself does not run.
    ///
    /// # Panics
    /// If an observer panicked, with its payload.
    pub fn verify_with<'s>(
        &self,
        program: &Program,
        args: impl Into<Option<&'s Args>>,
        options: &VerifyOptions,
    ) -> Result<Vec<String>> {
        let args = args.into().map_or(null_mut(), |args| args.as_ptr());
        let options = options.native()?;
        let (result, thrown) = collect(|| {
            Bytes::make(|out, error| unsafe {
                sys::tonnx_model_verify(out, self.as_ptr(), program.as_ptr(), args, options.as_ptr(), error)
            })
        });
        Ok(settle(result, thrown)?.into_text().lines().map(str::to_owned).collect())
    }

    /// The tensors for the model's inputs that correspond to arguments of an exported program, in the order of the
    /// inputs: nested values are flattened, values that are fixed in the program are omitted, complex tensors have a
    /// last axis of 2.
    pub fn flat_inputs(&self, args: &Args) -> Result<Vec<Tensor>> {
        let list =
            Args::make(|out, error| unsafe { sys::tonnx_model_flat_inputs(out, self.as_ptr(), args.as_ptr(), error) })?;
        (0..list.count()).map(|index| list.get(index)).collect()
    }

    /// The tensors for the model's outputs that correspond to a result of an exported program, in the order of the
    /// outputs. The result is the only argument; several results are a tuple.
    pub fn flat_outputs(&self, results: &Args) -> Result<Vec<Tensor>> {
        let list = Args::make(|out, error| unsafe {
            sys::tonnx_model_flat_outputs(out, self.as_ptr(), results.as_ptr(), error)
        })?;
        (0..list.count()).map(|index| list.get(index)).collect()
    }

    /// How the program is called, as a JSON object: the trees of its arguments and of its result, with the names of
    /// inputs and outputs as leaves; "" if the program does not have them. The model has it as its metadata
    /// "tonnx.call".
    pub fn call(&self) -> &str {
        unsafe { borrowed_text(sys::tonnx_model_call(self.as_ptr())) }
    }

    /// Names of the inputs, in order.
    ///
    /// # Panics
    /// If memory runs out.
    pub fn input_names(&self) -> Vec<String> {
        self.contents().expect("memory for the names").inputs().into_iter().map(Value::name).collect()
    }

    /// Names of the outputs, in order.
    ///
    /// # Panics
    /// If memory runs out.
    pub fn output_names(&self) -> Vec<String> {
        self.contents().expect("memory for the names").outputs().into_iter().map(Value::name).collect()
    }

    /// The opset of ONNX's own operators.
    pub fn opset(&self) -> i32 {
        unsafe { sys::tonnx_model_opset(self.as_ptr()) }
    }

    /// The version of the file format.
    pub fn ir_version(&self) -> i32 {
        unsafe { sys::tonnx_model_ir_version(self.as_ptr()) }
    }

    /// Warnings of the export.
    pub fn warnings(&self) -> Vec<&str> {
        unsafe {
            let report = sys::tonnx_model_report(self.as_ptr());
            let warning = |index| borrowed_text(sys::tonnx_report_warning(report, index));
            (0..sys::tonnx_report_warning_count(report)).map(warning).collect()
        }
    }

    /// Report of the export, a JSON object.
    pub fn report(&self) -> &str {
        unsafe { borrowed_text(sys::tonnx_report_json(sys::tonnx_model_report(self.as_ptr()))) }
    }
}

impl Format {
    pub(crate) fn raw(self) -> i32 {
        match self {
            Format::Short => sys::TONNX_TEXT_SHORT,
            Format::Full => sys::TONNX_TEXT_FULL,
            Format::Svg => sys::TONNX_TEXT_SVG,
            Format::Html => sys::TONNX_TEXT_HTML,
        }
    }
}

impl Bytes {
    pub(crate) fn into_text(self) -> String {
        String::from_utf8_lossy(&self).into_owned()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the bytes are borrowed from the handle, which lives as long as `self`.
        unsafe { borrowed_items(sys::tonnx_buffer_data(self.as_ptr()).cast(), sys::tonnx_buffer_size(self.as_ptr())) }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// Runs the ONNX checker with shape inference on a file and its external data.
pub fn check_file(path: impl AsRef<Path>) -> Result<()> {
    let path = c_path(path.as_ref())?;
    call(|error| unsafe { sys::tonnx_file_check(path.as_ptr(), error) })
}

/// Runs a model file in ONNX Runtime and returns its outputs with their names, in order; the items of a sequence are
/// NAME.0, NAME.1, ... The arguments go to the model's inputs by position or, as keyword arguments, by name. Of the
/// options, the provider, the runtime libraries and the observer are used.
pub fn run_file(path: impl AsRef<Path>, inputs: &Args, options: &VerifyOptions) -> Result<Vec<(String, Tensor)>> {
    let (path, options) = (c_path(path.as_ref())?, options.native()?);
    let mut names = null_mut();
    let (result, thrown) = collect(|| {
        Args::make(|out, error| unsafe {
            sys::tonnx_file_run(out, &mut names, path.as_ptr(), inputs.as_ptr(), options.as_ptr(), error)
        })
    });
    let outputs = settle(result, thrown)?;
    let names = Bytes::make(|out, _| {
        // SAFETY: the call above made the buffer, which is owned from here on.
        unsafe { *out = names };
        sys::TONNX_STATUS_OK
    })?
    .into_text();
    names.split_terminator('\0').enumerate().map(|(index, name)| Ok((name.to_owned(), outputs.get(index)?))).collect()
}

/// Infers the types and shapes of the values of a model file, as ONNX does, and writes the model with them to another
/// file. It must be in the same folder if the model has external data.
pub fn infer_file(path: impl AsRef<Path>, result: impl AsRef<Path>) -> Result<()> {
    let (path, result) = (c_path(path.as_ref())?, c_path(result.as_ref())?);
    call(|error| unsafe { sys::tonnx_file_infer(path.as_ptr(), result.as_ptr(), error) })
}

/// True if this thread is inside an export or a trace: in a symbolic, or in code that is recorded.
///
/// # Panics
/// If the library cannot be loaded; see [`load`](crate::load).
pub fn is_exporting() -> bool {
    // SAFETY: the call takes nothing.
    unsafe { sys::tonnx_is_exporting() != 0 }
}

/// Writes a report, [`Model::report`] or [`Error::report`](crate::Error::report), as SARIF to a file NAME.sarif.
pub fn save_report(path: impl AsRef<Path>, report: &str) -> Result<()> {
    let (path, report) = (c_path(path.as_ref())?, c_text(report)?);
    call(|error| unsafe { sys::tonnx_report_save(path.as_ptr(), report.as_ptr(), error) })
}

/// Returns a model file as text. Does not read the bytes of the weights.
pub fn file_text(path: impl AsRef<Path>, format: Format) -> Result<String> {
    let path = c_path(path.as_ref())?;
    let text = Bytes::make(|out, error| unsafe { sys::tonnx_file_text(out, path.as_ptr(), format.raw(), error) })?;
    Ok(text.into_text())
}

/// Returns a picture of a model file, [`Format::Svg`] or [`Format::Html`]. The operators that differ in `mismatch`, a
/// result of [`Mismatch::json`](crate::Mismatch::json), are marked.
pub fn file_picture(path: impl AsRef<Path>, format: Format, mismatch: Option<&str>) -> Result<String> {
    let (path, mismatch) = (c_path(path.as_ref())?, mismatch.map(c_text).transpose()?);
    let marked = mismatch.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
    let picture =
        Bytes::make(|out, error| unsafe { sys::tonnx_file_picture(out, path.as_ptr(), format.raw(), marked, error) })?;
    Ok(picture.into_text())
}
