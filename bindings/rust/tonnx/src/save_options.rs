//! How to save a model.
use tonnx_sys as sys;

use crate::error::{call, Result};
use crate::handle::handle;
use crate::observer::Observer;

/// Where the weights of a model are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExternalData {
    /// Beside the model if the model would exceed 2 GiB.
    #[default]
    Auto,
    /// One file NAME.onnx.data beside the model.
    Yes,
    /// All in one file; `Status::Argument` above 2 GiB.
    No,
    /// No weights are written: the model refers to the .pt file, which must be in the same folder.
    Archive,
    /// One file per weight, in a folder NAME_initializers beside NAME.onnx, or FILE.initializers beside another FILE.
    Each,
}

impl ExternalData {
    fn raw(self) -> i32 {
        match self {
            ExternalData::Auto => sys::TONNX_EXTERNAL_DATA_AUTO,
            ExternalData::Yes => sys::TONNX_EXTERNAL_DATA_YES,
            ExternalData::No => sys::TONNX_EXTERNAL_DATA_NO,
            ExternalData::Archive => sys::TONNX_EXTERNAL_DATA_ARCHIVE,
            ExternalData::Each => sys::TONNX_EXTERNAL_DATA_EACH,
        }
    }
}

/// How to save a model: [`Model::save_with`](crate::Model::save_with).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SaveOptions {
    external_data: ExternalData,
    observer: Option<Observer>,
}

impl SaveOptions {
    /// Where the weights are written. Default: `ExternalData::Auto`.
    pub fn external_data(mut self, external_data: ExternalData) -> Self {
        self.external_data = external_data;
        self
    }

    /// Observes the calls with these options. If it cancels, no file appears.
    pub fn observer(mut self, observer: &Observer) -> Self {
        self.observer = Some(observer.clone());
        self
    }

    pub(crate) fn native(&self) -> Result<NativeOptions> {
        // SAFETY: the outputs live during the call.
        let native = NativeOptions::make(|out, error| unsafe { sys::tonnx_save_options_new(out, error) })?;
        let mode = self.external_data.raw();
        // SAFETY: the handle lives.
        call(|error| unsafe { sys::tonnx_save_options_set_external_data(native.as_ptr(), mode, error) })?;
        if let Some(observer) = &self.observer {
            // SAFETY: the handles live.
            call(|error| unsafe { sys::tonnx_save_options_set_observer(native.as_ptr(), observer.as_ptr(), error) })?;
        }
        Ok(native)
    }
}

handle! {
    /// The options in C form.
    NativeOptions, tonnx_save_options, tonnx_save_options_free
}
