//! Why a call failed.
use std::ffi::CString;
use std::fmt;

use tonnx_sys as sys;

use crate::carry::{take_cause, Thrown};
use crate::handle::copied_text;

/// The error of a caller's closure.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A result whose error is tonnx's by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of failure, by what the caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The program cannot be exported; [`Error::reasons`] lists all causes.
    Unsupported,
    /// Wrong use: unknown name, wrong count, dtype or shape.
    Argument,
    /// The model disagrees with LibTorch.
    Verification,
    /// Input or output file: missing, damaged, wrong format, not writable, disk full.
    File,
    /// The caller's own closure failed; its error is the source.
    Callback,
    /// The ONNX checker rejected the model.
    Checker,
    /// The program itself fails when run on the example inputs.
    Program,
    /// Out of memory.
    Memory,
    /// A bug in tonnx.
    Internal,
    /// The export warns, and warnings are errors; [`Error::reasons`] lists the warnings.
    Warning,
    /// The caller's [`Observer`](crate::Observer) cancelled the call.
    Cancelled,
}

/// One reason why a program cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// "aten::add"
    pub operator: String,
    /// The message.
    pub text: String,
    /// Module of the first location: "layer1.0.conv1", or "".
    pub module: String,
    /// "model.py:12", or "".
    pub source: String,
    /// Number of locations.
    pub places: u64,
}

/// Why a call failed. It displays as the whole message, which may have several lines.
///
/// If a closure failed during the call, its own error is the [`source`](std::error::Error::source).
pub struct Error(Box<Inner>);

struct Inner {
    status: Status,
    class: String,
    message: String,
    reasons: Vec<Reason>,
    report: String,
    cause: Option<BoxError>,
}

impl Error {
    /// What kind of error it is.
    pub fn status(&self) -> Status {
        self.0.status
    }

    /// Name of the error class: "UnsupportedOperatorError", "CheckerError", "ArgumentError", ...
    pub fn class(&self) -> &str {
        &self.0.class
    }

    /// True if its class is `base` or derives from it: all derive from "OnnxExporterError", "DependencyError" and
    /// "MissingKernelError" also from "FileError".
    pub fn is(&self, base: &str) -> bool {
        if load().is_err() {
            // The errors of this crate.
            return base == self.class()
                || base == "OnnxExporterError"
                || (base == "FileError" && self.class() == "DependencyError");
        }
        let (Ok(class), Ok(base)) = (CString::new(self.class()), CString::new(base)) else { return false };
        // SAFETY: both texts live during the call.
        unsafe { sys::tonnx_error_class_is(class.as_ptr(), base.as_ptr()) != 0 }
    }

    /// One per operator and text; empty unless the program cannot be exported.
    pub fn reasons(&self) -> &[Reason] {
        &self.0.reasons
    }

    /// Report of the failure, a JSON object. For an export it includes everything found before the failure. Empty for
    /// errors of this crate.
    pub fn report(&self) -> &str {
        &self.0.report
    }

    /// Takes the closure's error out, to return it to one's own caller.
    pub fn into_cause(self) -> Option<BoxError> {
        self.0.cause
    }

    pub(crate) fn new(status: Status, class: &str, message: impl Into<String>) -> Self {
        let (class, message) = (class.to_owned(), message.into());
        Error(Box::new(Inner { status, class, message, reasons: Vec::new(), report: String::new(), cause: None }))
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(Status::Argument, "ArgumentError", message)
    }

    pub(crate) fn with_cause(mut self, cause: BoxError) -> Self {
        self.0.cause = Some(cause);
        self
    }

    /// Copies the C error. `status` is the result of the call; `error` may be null.
    fn read(status: sys::tonnx_status, error: *const sys::tonnx_error) -> Self {
        // SAFETY: the getters accept null and borrow from the error, which lives until this returns.
        unsafe {
            let message = match error.is_null() {
                true => sys::tonnx_status_name(status),
                false => sys::tonnx_error_message(error),
            };
            let reason = |index| Reason {
                operator: copied_text(sys::tonnx_error_reason_operator(error, index)),
                text: copied_text(sys::tonnx_error_reason_text(error, index)),
                module: copied_text(sys::tonnx_error_reason_module(error, index)),
                source: copied_text(sys::tonnx_error_reason_source(error, index)),
                places: sys::tonnx_error_reason_places(error, index).try_into().unwrap_or(0),
            };
            Error(Box::new(Inner {
                status: Status::from_raw(status),
                class: copied_text(sys::tonnx_error_class(error)),
                message: copied_text(message),
                reasons: (0..sys::tonnx_error_reason_count(error)).map(reason).collect(),
                report: copied_text(sys::tonnx_error_report(error)),
                cause: take_cause(error),
            }))
        }
    }
}

impl Status {
    fn from_raw(status: sys::tonnx_status) -> Self {
        match status {
            sys::TONNX_STATUS_UNSUPPORTED => Status::Unsupported,
            sys::TONNX_STATUS_ARGUMENT => Status::Argument,
            sys::TONNX_STATUS_VERIFICATION => Status::Verification,
            sys::TONNX_STATUS_FILE => Status::File,
            sys::TONNX_STATUS_CALLBACK => Status::Callback,
            sys::TONNX_STATUS_CHECKER => Status::Checker,
            sys::TONNX_STATUS_PROGRAM => Status::Program,
            sys::TONNX_STATUS_MEMORY => Status::Memory,
            sys::TONNX_STATUS_WARNING => Status::Warning,
            sys::TONNX_STATUS_CANCELLED => Status::Cancelled,
            _ => Status::Internal,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("status", &self.0.status)
            .field("class", &self.0.class)
            .field("message", &self.0.message)
            .field("reasons", &self.0.reasons)
            .field("cause", &self.0.cause)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}

/// Loads libtonnx, if the process has not done so. Later calls cost a comparison, and repeat the error of the first one.
///
/// Call it before functions that return no [`Result`], such as [`version`](crate::version) or
/// [`Dtype::name`](crate::Dtype::name): these panic if the library is missing. Other functions return the error of this one.
/// With the feature `linked` the library is always there.
///
/// # Errors
/// The class `DependencyError` if the library is missing, or if its version does not fit this crate. The message lists
/// where the library was searched.
pub fn load() -> Result<()> {
    sys::load().map_err(|message| Error::new(Status::File, "DependencyError", message))
}

/// Makes one C call and reads its error.
pub(crate) fn call(body: impl FnOnce(*mut *mut sys::tonnx_error) -> sys::tonnx_status) -> Result<()> {
    load()?;
    let mut error = std::ptr::null_mut();
    let status = body(&mut error);
    if status == sys::TONNX_STATUS_OK {
        return Ok(());
    }
    let read = Error::read(status, error);
    // SAFETY: the caller owns the error; null is accepted.
    unsafe { sys::tonnx_error_free(error) };
    Err(read)
}

/// Result of a C call that ran closures: resumes their panic; their error becomes the cause.
pub(crate) fn settle<T>(result: Result<T>, thrown: Option<Thrown>) -> Result<T> {
    match (result, thrown) {
        (_, Some(Thrown::Panic(payload))) => std::panic::resume_unwind(payload),
        (Err(error), Some(Thrown::Error(cause))) => Err(error.with_cause(cause)),
        (result, _) => result,
    }
}
