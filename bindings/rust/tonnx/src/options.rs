//! How to export.
use std::ops::RangeInclusive;

use tonnx_sys as sys;

use crate::error::{call, Result};
use crate::handle::{c_text, handle};

// Made from options.json by scripts/options.py.
/// Form in which dropout and batch norm are exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Training {
    /// As in inference.
    #[default]
    Eval,
    /// As the program says.
    Preserve,
    /// As in training.
    Train,
}

/// What becomes of a script's branches and loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// As script, and as trace where the script cannot be exported and no axis is dynamic. The report tells which.
    #[default]
    Auto,
    /// They stay where a run decides them.
    Script,
    /// The script is run and recorded, at several sizes and on other values; what they decide is refused.
    Trace,
}

/// Whether initializers are listed among the graph's inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitializersAsInputs {
    /// Below opset 9 only.
    #[default]
    Auto,
    /// At every opset.
    Always,
    /// At no opset that allows it.
    Never,
}

/// What becomes of a dynamic axis that has one size only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixedDynamicAxes {
    /// The export or the trace is refused.
    #[default]
    Error,
    /// The axis keeps the example's size, and a warning names the axis, the size and the reason.
    Warn,
}

// Made until here.

handle! {
    /// How to export. Each method sets one option and gives the options back.
    ///
    /// ```
    /// # fn main() -> tonnx::Result<()> {
    /// let options = tonnx::Options::new()?.opset(17)?.input_name("x")?.dynamic_axis("x", 0, "batch")?;
    /// # Ok(())
    /// # }
    /// ```
    Options, tonnx_options, tonnx_options_free
}

impl Options {
    pub fn new() -> Result<Self> {
        // SAFETY: the outputs live during the call.
        Self::make(|out, error| unsafe { sys::tonnx_options_new(out, error) })
    }

    /// The opsets of the default ONNX domain that can be targeted.
    pub fn opsets() -> RangeInclusive<i32> {
        // SAFETY: constants of the library.
        unsafe { sys::tonnx_opset_oldest()..=sys::tonnx_opset_newest() }
    }

    /// The opset that is targeted if none is set: 17.
    pub fn default_opset() -> i32 {
        // SAFETY: a constant of the library.
        unsafe { sys::tonnx_opset_default() }
    }

    // Made from options.json by scripts/options.py.

    /// Opset of the default ONNX domain, from the oldest to the newest supported one. Default: 17.
    pub fn opset(self, opset: i32) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_opset(options, opset, error) })
    }

    /// Method of the archive. Default: "forward".
    pub fn method(self, method: &str) -> Result<Self> {
        let method = c_text(method)?;
        self.with(|options, error| unsafe { sys::tonnx_options_set_method(options, method.as_ptr(), error) })
    }

    /// Whether a scripted program's control flow is kept, or the program is run and what it does is recorded, loops
    /// unrolled. Default: `Mode::Auto`.
    pub fn mode(self, mode: Mode) -> Result<Self> {
        let mode = match mode {
            Mode::Auto => sys::TONNX_MODE_AUTO,
            Mode::Script => sys::TONNX_MODE_SCRIPT,
            Mode::Trace => sys::TONNX_MODE_TRACE,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_mode(options, mode, error) })
    }

    /// Whether dropout and batch norm are exported in inference or training form. Default: `Training::Eval`.
    pub fn training(self, training: Training) -> Result<Self> {
        let mode = match training {
            Training::Eval => sys::TONNX_TRAINING_EVAL,
            Training::Preserve => sys::TONNX_TRAINING_PRESERVE,
            Training::Train => sys::TONNX_TRAINING_TRAIN,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_training(options, mode, error) })
    }

    /// Replace operators on weights by their results, and normalisations by fixed statistics by other weights of the
    /// layer before them (from opset 9, in eval mode); operators on constants alone are always replaced. Default: on in
    /// eval mode, off in the others.
    pub fn constant_folding(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_constant_folding(options, enabled.into(), error) })
    }

    /// Store the weights' values; otherwise weights become inputs after the user's. Default: true.
    pub fn export_params(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_export_params(options, enabled.into(), error) })
    }

    /// List initializers among the graph's inputs. Default: `InitializersAsInputs::Auto`.
    pub fn initializers_as_inputs(self, initializers_as_inputs: InitializersAsInputs) -> Result<Self> {
        let mode = match initializers_as_inputs {
            InitializersAsInputs::Auto => sys::TONNX_INITIALIZERS_AS_INPUTS_AUTO,
            InitializersAsInputs::Always => sys::TONNX_INITIALIZERS_AS_INPUTS_ALWAYS,
            InitializersAsInputs::Never => sys::TONNX_INITIALIZERS_AS_INPUTS_NEVER,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_initializers_as_inputs(options, mode, error) })
    }

    /// Run the ONNX checker on the result. Default: true.
    pub fn check(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_check(options, enabled.into(), error) })
    }

    /// Write each node's source line as its doc_string. Default: false.
    pub fn doc_strings(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_doc_strings(options, enabled.into(), error) })
    }

    /// Class of modules, without its Python module ('Linear'), whose calls become local functions of the model; '*' for
    /// all classes. From opset 15. Default: none: the model is one graph.
    pub fn module_function(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|options, error| unsafe { sys::tonnx_options_add_module_function(options, name.as_ptr(), error) })
    }

    /// Add the new values of all that the program writes to and that outlives the call (inputs, buffers, parameters,
    /// attributes, captured tensors) as outputs NAME_written after its own. Without it, a warning names each write.
    /// Default: false.
    pub fn written_outputs(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_written_outputs(options, enabled.into(), error) })
    }

    /// An export that warns fails with status warning (class WarningError); the warnings are its reasons. Default:
    /// false.
    pub fn warnings_as_errors(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_warnings_as_errors(options, enabled.into(), error) })
    }

    /// A list of tensors that a script takes (List[Tensor]) is one sequence input, called as the argument, of any
    /// length but for code that needs another; an axis named of it is one of every item. From opset 11. Without it,
    /// each item of the example is an input, NAME.0, NAME.1. Default: false.
    pub fn sequence_inputs(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_sequence_inputs(options, enabled.into(), error) })
    }

    /// Name of the next input: user inputs first, then weights in state-dict order. An empty one keeps the default name
    /// of that input. A quantised input has one name here; its scale and zero point are NAME_scale and NAME_zero_point.
    /// Default: the names of forward's arguments, and state-dict keys.
    pub fn input_name(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|options, error| unsafe { sys::tonnx_options_add_input_name(options, name.as_ptr(), error) })
    }

    /// Name of the next output: one for each tensor, number or list that the program returns, those of tuples and dicts
    /// one by one. An empty one keeps the default name of that output. A quantised output has one name here; its scale
    /// and zero point are NAME_scale and NAME_zero_point. Default: the program's names, or output_N.
    pub fn output_name(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|options, error| unsafe { sys::tonnx_options_add_output_name(options, name.as_ptr(), error) })
    }

    /// Axis of an input or output that is dynamic; negative axes count from the end. Without a symbol it is called
    /// NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.
    pub fn dynamic_axis<'s>(self, name: &str, axis: i64, symbol: impl Into<Option<&'s str>>) -> Result<Self> {
        let name = c_text(name)?;
        let symbol = symbol.into().map(c_text).transpose()?;
        let symbol = symbol.as_ref().map_or(std::ptr::null(), |symbol| symbol.as_ptr());
        self.with(|options, error| unsafe {
            sys::tonnx_options_add_dynamic_axis(options, name.as_ptr(), axis, symbol, error)
        })
    }

    /// What becomes of a dynamic axis that the program fixes: one whose size a weight, a count or a check of the
    /// program decides, so that it runs at the example's size only, one that torch.export exported with a fixed size,
    /// or one of an output that has a known size. The other dynamic axes stay dynamic. Default:
    /// `FixedDynamicAxes::Error`.
    pub fn fixed_dynamic_axes(self, fixed_dynamic_axes: FixedDynamicAxes) -> Result<Self> {
        let mode = match fixed_dynamic_axes {
            FixedDynamicAxes::Error => sys::TONNX_FIXED_DYNAMIC_AXES_ERROR,
            FixedDynamicAxes::Warn => sys::TONNX_FIXED_DYNAMIC_AXES_WARN,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_fixed_dynamic_axes(options, mode, error) })
    }

    /// An open size of a program of torch.export that is a number in the model: NAME:AXIS=SIZE of an input (negative
    /// axes count from the end), NAME=SIZE of a number among the arguments, which is no input then, SYMBOL=SIZE as the
    /// model calls it, without =SIZE at the size of the example (the archive's inputs, where none are given); '*' for
    /// all that no dynamic axis names. All sizes that follow from it are numbers, too. Refused where the program's
    /// ranges and conditions do not allow it. Of a script, whose axes are fixed anyway: NAME of a number among the
    /// arguments, which has the example's value in the model and is no input; '*' for all of them. Default: none: what
    /// torch.export left open stays open.
    pub fn fixed_axis(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|options, error| unsafe { sys::tonnx_options_add_fixed_axis(options, name.as_ptr(), error) })
    }

    /// Version of a custom domain in the model's opset imports. Default: 1.
    pub fn custom_opset(self, domain: &str, version: i64) -> Result<Self> {
        let domain = c_text(domain)?;
        self.with(|options, error| unsafe {
            sys::tonnx_options_set_custom_opset(options, domain.as_ptr(), version, error)
        })
    }
    // Made until here.

    /// Makes a call that changes the handle, which nobody else sees: it is owned.
    fn with(
        self,
        body: impl FnOnce(*mut sys::tonnx_options, *mut *mut sys::tonnx_error) -> sys::tonnx_status,
    ) -> Result<Self> {
        call(|error| body(self.as_ptr(), error))?;
        Ok(self)
    }
}

/// # Panics
/// Out of memory.
impl Default for Options {
    fn default() -> Self {
        Self::new().expect("default options")
    }
}
