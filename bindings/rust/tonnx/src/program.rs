//! LibTorch programs, and the operators that they use.
use std::os::raw::c_void;
use std::path::Path;
use std::ptr::null_mut;

use tonnx_sys as sys;

use crate::args::Args;
use crate::carry::collect;
use crate::error::{call, settle, Result};
use crate::handle::{c_path, c_text, copied_text, handle};
use crate::model::{Bytes, Format, Model};
use crate::options::Options;
use crate::registry::Registry;

handle! {
    /// A LibTorch program: a loaded archive, compiled source text, a module of the process, or a trace.
    Program, tonnx_program, tonnx_program_free
}

impl Program {
    /// Loads a TorchScript archive (.pt) or an exported program (.pt2). Does not read the bytes of the weights: the
    /// file must stay in place, unchanged, while the program or a model made of it lives.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        // SAFETY: the path lives during the call.
        Self::make(|out, error| unsafe { sys::tonnx_program_load(out, path.as_ptr(), error) })
    }

    /// Same, from memory; the bytes are copied.
    pub fn load_bytes(bytes: &[u8]) -> Result<Self> {
        // SAFETY: the bytes live during the call.
        Self::make(|out, error| unsafe {
            sys::tonnx_program_load_bytes(out, bytes.as_ptr().cast(), bytes.len(), error)
        })
    }

    /// Returns the same program with other weights, for an exported program (.pt2): `path` is a state dict of
    /// `torch.save`, a .safetensors file, or the index of several. A missing weight is allowed if it is tied to one
    /// that is present; a weight that does not fit is reported by the export. The file must stay unchanged while the
    /// program or a model made of it lives.
    pub fn with_weights(&self, path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        // SAFETY: handle and path live during the call.
        Self::make(|out, error| unsafe { sys::tonnx_program_with_weights(out, self.as_ptr(), path.as_ptr(), error) })
    }

    /// Compiles TorchScript source text in this process; `file` is its name in messages and locations and may be "".
    ///
    /// Every function is a method of the program; an export takes "forward" by default, or the last function if none
    /// has this name. Functions with a first parameter `self` are methods of a module, whose attributes are the keyword
    /// arguments, or the only dict, of `attributes`: tensors are the model's weights under these names, "layer1.weight"
    /// is `self.layer1.weight`, other values are constants. `torch.NAME` is LibTorch's operator; `torch.nn` and classes
    /// are not available. If the text does not compile, the error has `Status::Program` and the location.
    pub fn compile<'a>(source: &str, file: &str, attributes: impl Into<Option<&'a Args>>) -> Result<Self> {
        let (source, file) = (c_text(source)?, c_text(file)?);
        let attributes = attributes.into().map_or(null_mut(), |attributes| attributes.as_ptr());
        // SAFETY: texts and attributes live during the call.
        Self::make(|out, error| unsafe {
            sys::tonnx_program_compile(out, source.as_ptr(), file.as_ptr(), attributes, error)
        })
    }

    /// Copies a TorchScript module of this process; the weights are copied, or shared with `share_weights`.
    ///
    /// # Safety
    /// `module` is a `torch::jit::Module *` of the LibTorch of the process. It must not be changed or run
    /// during the call. If its weights are shared, they must not be written to while the program or a model made of it
    /// lives.
    pub unsafe fn from_module(module: *const c_void, share_weights: bool) -> Result<Self> {
        Self::make(|out, error| sys::tonnx_program_from_module(out, module, share_weights.into(), error))
    }

    /// Exports the program. Without a registry only built-in lowerings are used. If the program cannot be exported, the
    /// error lists every reason; if a symbolic failed, its own error is the source.
    ///
    /// # Panics
    /// If a symbolic panicked, with its payload.
    pub fn export<'r>(
        &self,
        args: &Args,
        options: &Options,
        registry: impl Into<Option<&'r Registry>>,
    ) -> Result<Model> {
        let registry = registry.into().map_or(null_mut(), |registry| registry.as_ptr());
        let (result, thrown) = collect(|| {
            // SAFETY: the handles live during the call, which only reads them.
            Model::make(|out, error| unsafe {
                sys::tonnx_program_export(out, self.as_ptr(), args.as_ptr(), options.as_ptr(), registry, error)
            })
        });
        settle(result, thrown)
    }

    /// Exports the program for each group of arguments, and describes the first node at which a model differs from that
    /// of the first group; empty if all are equal. For traced code, trace it with each group, and compare the models by
    /// [`Model::difference`].
    ///
    /// # Panics
    /// If a symbolic panicked, with its payload.
    pub fn export_difference<'r>(
        &self,
        groups: &[&Args],
        options: &Options,
        registry: impl Into<Option<&'r Registry>>,
    ) -> Result<String> {
        let registry = registry.into().map_or(null_mut(), |registry| registry.as_ptr());
        let given: Vec<*const sys::tonnx_args> = groups.iter().map(|args| args.as_ptr() as *const _).collect();
        let (result, thrown) = collect(|| {
            // SAFETY: the handles live during the call, which only reads them.
            Bytes::make(|out, error| unsafe {
                let (given, count) = (given.as_ptr(), given.len());
                sys::tonnx_program_export_difference(
                    out,
                    self.as_ptr(),
                    given,
                    count,
                    options.as_ptr(),
                    registry,
                    error,
                )
            })
        });
        Ok(settle(result, thrown)?.into_text())
    }

    /// Methods that can be exported. The first one is the method that "forward" refers to; a trace has only "forward".
    pub fn methods(&self) -> Vec<String> {
        // SAFETY: the names are copied.
        unsafe {
            let method = |index| copied_text(sys::tonnx_program_method(self.as_ptr(), index));
            (0..sys::tonnx_program_method_count(self.as_ptr())).map(method).collect()
        }
    }

    /// Returns the unconverted program, as recorded or stored, in a form other than [`Format::Full`]. A trace needs no
    /// args.
    pub fn text<'s>(&self, args: impl Into<Option<&'s Args>>, options: &Options, format: Format) -> Result<String> {
        let args = args.into().map_or(null_mut(), |args| args.as_ptr());
        // SAFETY: the handles live during the call.
        let text = Bytes::make(|out, error| unsafe {
            sys::tonnx_program_text(out, self.as_ptr(), args, options.as_ptr(), format.raw(), error)
        })?;
        Ok(text.into_text())
    }
}

/// Loads a shared library that registers operators with LibTorch (`TORCH_LIBRARY`), for archives that use them. Affects
/// the whole process.
///
/// # Safety
/// The library's initialisers run, which can do anything, and nothing checks that it was built for the LibTorch of
/// the process.
pub unsafe fn load_operators(path: impl AsRef<Path>) -> Result<()> {
    let path = c_path(path.as_ref())?;
    call(|error| sys::tonnx_operators_load_library(path.as_ptr(), error))
}

/// Registers the schema of an operator, "my_ops::foo(Tensor x, float alpha) -> Tensor". This is enough to load and
/// export an archive that uses it. Does nothing if the operator is known. Affects the whole process.
pub fn register_operator(schema: &str) -> Result<()> {
    let schema = c_text(schema)?;
    // SAFETY: the text lives during the call.
    call(|error| unsafe { sys::tonnx_operators_register(schema.as_ptr(), error) })
}
