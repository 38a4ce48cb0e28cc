//! Finds the operators that differ.
use std::path::Path;
use std::ptr::null_mut;

use tonnx_sys as sys;

use crate::args::Args;
use crate::carry::collect;
use crate::contents::Contents;
use crate::error::{call, settle, Result};
use crate::handle::{borrowed_text, c_path, c_text, copied_text, handle};
use crate::options::Options;
use crate::program::Program;
use crate::registry::Registry;
use crate::verify_options::VerifyOptions;

handle! {
    /// Operators of a program whose results in ONNX Runtime differ from LibTorch's; see [`Program::find_mismatch`].
    Mismatch, tonnx_mismatch, tonnx_mismatch_free
}

impl Program {
    /// Exports the program and compares its model with LibTorch. If they differ, the program is split into halves
    /// repeatedly; each half is exported and compared on its own, down to the operators that differ. A difference is
    /// not an error: see [`Mismatch::found`].
    ///
    /// # Panics
    /// If a symbolic panicked, with its payload.
    pub fn find_mismatch<'r>(
        &self,
        args: &Args,
        options: &Options,
        registry: impl Into<Option<&'r Registry>>,
        verification: &VerifyOptions,
    ) -> Result<Mismatch> {
        let registry = registry.into().map_or(null_mut(), |registry| registry.as_ptr());
        let how = verification.native()?;
        let (result, thrown) = collect(|| {
            // SAFETY: the handles live during the call, which only reads them.
            Mismatch::make(|out, error| unsafe {
                let (program, args, options) = (self.as_ptr(), args.as_ptr(), options.as_ptr());
                sys::tonnx_program_find_mismatch(out, program, args, options, registry, how.as_ptr(), error)
            })
        });
        settle(result, thrown)
    }
}

impl Mismatch {
    /// True if the model, or an operator on its own, differs.
    pub fn found(&self) -> bool {
        // SAFETY: the handle lives during the call; the same for all below.
        unsafe { sys::tonnx_mismatch_found(self.as_ptr()) != 0 }
    }

    /// Ids of the parts that differ and that have no part that differs: one digit per half, "0" for the first.
    pub fn leaves(&self) -> Vec<String> {
        unsafe {
            let leaf = |index| copied_text(sys::tonnx_mismatch_leaf(self.as_ptr(), index));
            (0..sys::tonnx_mismatch_leaf_count(self.as_ptr())).map(leaf).collect()
        }
    }

    /// The tree of the parts and the operators that differ, for people.
    pub fn text(&self) -> &str {
        unsafe { borrowed_text(sys::tonnx_mismatch_text(self.as_ptr())) }
    }

    /// The same as a JSON object.
    pub fn json(&self) -> &str {
        unsafe { borrowed_text(sys::tonnx_mismatch_json(self.as_ptr())) }
    }

    /// Writes the part with this id ("" is the whole) as a folder in the format of ONNX's own tests: model.onnx, and
    /// input_I.pb and output_I.pb in test_data_set_0. Creates the folder if needed.
    ///
    /// # Panics
    /// If a symbolic panicked, with its payload.
    pub fn save_part(&self, id: &str, folder: impl AsRef<Path>) -> Result<()> {
        let (id, folder) = (c_text(id)?, c_path(folder.as_ref())?);
        let (result, thrown) = collect(|| {
            call(|error| unsafe { sys::tonnx_mismatch_save_part(self.as_ptr(), id.as_ptr(), folder.as_ptr(), error) })
        });
        settle(result, thrown)
    }

    /// The operators of the part with this id that were converted, with inputs and outputs where it was cut off.
    pub fn program_contents(&self, id: &str) -> Result<Contents> {
        let id = c_text(id)?;
        Contents::make(|out, error| unsafe {
            sys::tonnx_mismatch_program_contents(out, self.as_ptr(), id.as_ptr(), error)
        })
    }

    /// The model of the part with this id, which is exported again.
    ///
    /// # Panics
    /// If a symbolic panicked, with its payload.
    pub fn model_contents(&self, id: &str) -> Result<Contents> {
        let id = c_text(id)?;
        let (result, thrown) = collect(|| {
            Contents::make(|out, error| unsafe {
                sys::tonnx_mismatch_model_contents(out, self.as_ptr(), id.as_ptr(), error)
            })
        });
        settle(result, thrown)
    }
}
