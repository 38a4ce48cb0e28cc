//! How to export.
use std::ops::RangeInclusive;

use tonnx_sys as sys;

use crate::error::{call, Result};
use crate::handle::{c_text, handle};
use crate::observer::Observer;

// Made from options.json by scripts/options.py.
/// The form of dropout and batch norm in the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Training {
    /// Inference form.
    #[default]
    Eval,
    /// The form that the program has.
    Preserve,
    /// Training form.
    Train,
}

/// How a script's control flow is exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// As script; as trace if the script cannot be exported and no axis is dynamic. The report says which was used.
    #[default]
    Auto,
    /// Branches and loops that depend on run-time values are kept as If and Loop.
    Script,
    /// The script is run and recorded at several sizes and on other values; control flow that depends on them is refused.
    Trace,
}

/// What becomes of an operator in the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OperatorExportType {
    /// Operators of ONNX, or those that a symbolic returns. An operator without a conversion is an error.
    #[default]
    Onnx,
    /// An operator without a conversion stays: a node of its own name in a domain named after its namespace. Tensors, and values known only at run time, are its inputs; constants are attributes with the names of the schema.
    Fallthrough,
    /// Every operator of aten that returns tensors is a node ATen of the domain org.pytorch.aten, with its name in the attributes 'operator' and 'overload_name' and all arguments as inputs; numbers are constants.
    Aten,
    /// The same only for operators of aten without a conversion.
    AtenFallback,
}

/// Whether initializers are also graph inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitializersAsInputs {
    /// Only below opset 9, where ONNX requires it, and if operator_export_type is not onnx.
    #[default]
    Auto,
    /// At every opset.
    Always,
    /// Never, where the opset allows that (9 on).
    Never,
}

/// What to do with a dynamic axis that can have one size only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixedDynamicAxes {
    /// Refuse the export or the trace.
    #[default]
    Error,
    /// Fix the axis at the example's size, and warn with the axis, the size and the reason.
    Warn,
}

/// The runtime that a model is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// ONNX Runtime 1.31 on CPUs. Operators that it lacks or computes wrongly are replaced by others that it runs.
    #[default]
    Onnxruntime,
    /// Any runtime that implements the ONNX standard. Operators are not replaced, so the model is smaller and keeps narrow dtypes, but ONNX Runtime may refuse it or compute other results.
    Onnx,
}

// Made until here.

handle! {
    /// How to export. Each method sets one option and returns the options.
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
    /// The defaults.
    pub fn new() -> Result<Self> {
        // SAFETY: the outputs live during the call.
        Self::make(|out, error| unsafe { sys::tonnx_options_new(out, error) })
    }

    /// Supported opsets of the default ONNX domain.
    ///
    /// # Panics
    /// If the library cannot be loaded; see [`load`](crate::load).
    pub fn opsets() -> RangeInclusive<i32> {
        // SAFETY: constants of the library.
        unsafe { sys::tonnx_opset_oldest()..=sys::tonnx_opset_newest() }
    }

    /// The opset of an export if none is set: 17.
    ///
    /// # Panics
    /// If the library cannot be loaded; see [`load`](crate::load).
    pub fn default_opset() -> i32 {
        // SAFETY: a constant of the library.
        unsafe { sys::tonnx_opset_default() }
    }

    // Made from options.json by scripts/options.py.

    /// Opset version of the default ONNX domain, within the range that tonnx supports. Default: 17.
    pub fn opset(self, opset: i32) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_opset(options, opset, error) })
    }

    /// The runtime whose missing kernels and defects the model avoids. Default: `Target::Onnxruntime`.
    pub fn target(self, target: Target) -> Result<Self> {
        let mode = match target {
            Target::Onnxruntime => sys::TONNX_TARGET_ONNXRUNTIME,
            Target::Onnx => sys::TONNX_TARGET_ONNX,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_target(options, mode, error) })
    }

    /// Method of the archive to export. Default: "forward".
    pub fn method(self, method: &str) -> Result<Self> {
        let method = c_text(method)?;
        self.with(|options, error| unsafe { sys::tonnx_options_set_method(options, method.as_ptr(), error) })
    }

    /// Whether a script's branches and loops are kept, or the script is run and recorded, with its loops unrolled.
    /// Default: `Mode::Auto`.
    pub fn mode(self, mode: Mode) -> Result<Self> {
        let mode = match mode {
            Mode::Auto => sys::TONNX_MODE_AUTO,
            Mode::Script => sys::TONNX_MODE_SCRIPT,
            Mode::Trace => sys::TONNX_MODE_TRACE,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_mode(options, mode, error) })
    }

    /// Export dropout and batch norm in inference or training form. Default: `Training::Eval`.
    pub fn training(self, training: Training) -> Result<Self> {
        let mode = match training {
            Training::Eval => sys::TONNX_TRAINING_EVAL,
            Training::Preserve => sys::TONNX_TRAINING_PRESERVE,
            Training::Train => sys::TONNX_TRAINING_TRAIN,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_training(options, mode, error) })
    }

    /// Compute operators on weights at export time, and fold normalisations with fixed statistics into the weights of
    /// the layer before them (opset 9 on). In training mode this changes parameters, so it is a warning there.
    /// Operators on constants are always folded. An operator with an operand or result above 8 MiB stays, unless it is
    /// an elementwise operator on floating-point weights, a reduction, a Concat along the first axis, or a view of a
    /// weight. So does a product of large matrices, and an operator on a weight with other uses if the model would
    /// grow. Default: on in eval mode, off in other modes.
    pub fn constant_folding(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_constant_folding(options, enabled.into(), error) })
    }

    /// Store weights of equal dtype, shape and content once, under the name of the first one. Only in eval mode with
    /// stored weights that are not inputs of the graph. Default: false.
    pub fn merge_equal_weights(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe {
            sys::tonnx_options_set_merge_equal_weights(options, enabled.into(), error)
        })
    }

    /// Store the values of the weights. If off, weights become inputs after the user's inputs. Default: true.
    pub fn export_params(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_export_params(options, enabled.into(), error) })
    }

    /// List initializers among the graph's inputs, too. Default: `InitializersAsInputs::Auto`.
    pub fn initializers_as_inputs(self, initializers_as_inputs: InitializersAsInputs) -> Result<Self> {
        let mode = match initializers_as_inputs {
            InitializersAsInputs::Auto => sys::TONNX_INITIALIZERS_AS_INPUTS_AUTO,
            InitializersAsInputs::Always => sys::TONNX_INITIALIZERS_AS_INPUTS_ALWAYS,
            InitializersAsInputs::Never => sys::TONNX_INITIALIZERS_AS_INPUTS_NEVER,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_initializers_as_inputs(options, mode, error) })
    }

    /// Whether operators stay unconverted in the model, which then needs a runtime that has them. Each one that stays
    /// although it should be converted is a warning. Default: `OperatorExportType::Onnx`.
    pub fn operator_export_type(self, operator_export_type: OperatorExportType) -> Result<Self> {
        let mode = match operator_export_type {
            OperatorExportType::Onnx => sys::TONNX_OPERATOR_EXPORT_TYPE_ONNX,
            OperatorExportType::Fallthrough => sys::TONNX_OPERATOR_EXPORT_TYPE_FALLTHROUGH,
            OperatorExportType::Aten => sys::TONNX_OPERATOR_EXPORT_TYPE_ATEN,
            OperatorExportType::AtenFallback => sys::TONNX_OPERATOR_EXPORT_TYPE_ATEN_FALLBACK,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_operator_export_type(options, mode, error) })
    }

    /// Convert the operators of a function that the host named in its trace and that has no symbolic. If off, such a
    /// function is one operator prim::PythonOp, which is an error, or stays unconverted as operator_export_type says.
    /// Archives have no such functions. Default: on; off if operator_export_type is fallthrough or aten_fallback.
    pub fn autograd_inlining(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_autograd_inlining(options, enabled.into(), error) })
    }

    /// Run the ONNX checker on the result. Default: true.
    pub fn check(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_check(options, enabled.into(), error) })
    }

    /// File to which the model is written if the ONNX checker rejects it. The export fails all the same. Empty: none is
    /// written. Default: "".
    pub fn invalid_model(self, invalid_model: &str) -> Result<Self> {
        let invalid_model = c_text(invalid_model)?;
        self.with(|options, error| unsafe {
            sys::tonnx_options_set_invalid_model(options, invalid_model.as_ptr(), error)
        })
    }

    /// Write each node's source line as its doc_string. Default: false.
    pub fn doc_strings(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_doc_strings(options, enabled.into(), error) })
    }

    /// Write the names of nodes. Values keep their names. Default: true.
    pub fn node_names(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_node_names(options, enabled.into(), error) })
    }

    /// Call weights by their state-dict keys. If off, they are called weight_0, weight_1 in the order of the state
    /// dict, unless input names replace them. Default: true.
    pub fn weight_names(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_weight_names(options, enabled.into(), error) })
    }

    /// Write the type and the shape of each intermediate value. A dynamic size has its expression as dim_param; a size
    /// that is known only at run time has the name of its value and axis, and so has a size of 1 that may be 0.
    /// Default: true.
    pub fn value_info(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_value_info(options, enabled.into(), error) })
    }

    /// Class of modules whose calls become local functions of the model: its name without its Python module ('Linear')
    /// or with it ('torch.nn.modules.linear.Linear'), or '*' for all classes. The Python module is the domain of the
    /// function. Opset 15 on. Default: none: the model is one graph.
    pub fn module_function(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|options, error| unsafe { sys::tonnx_options_add_module_function(options, name.as_ptr(), error) })
    }

    /// Add outputs NAME_written with the new values of everything that the program writes to and that outlives the
    /// call: inputs, buffers, parameters, attributes, captured tensors. If off, each such write is a warning. Default:
    /// false.
    pub fn written_outputs(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_written_outputs(options, enabled.into(), error) })
    }

    /// Fail with status warning (class WarningError) if the export warns; the warnings are the reasons of the error.
    /// Default: false.
    pub fn warnings_as_errors(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_warnings_as_errors(options, enabled.into(), error) })
    }

    /// Export a List[Tensor] argument of a script as one ONNX sequence input with the name of the argument (opset 11
    /// on). It may have any length that the code accepts, and a dynamic axis of it applies to every item. If off, each
    /// item of the example becomes an input: NAME.0, NAME.1. Default: false.
    pub fn sequence_inputs(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_sequence_inputs(options, enabled.into(), error) })
    }

    /// Export a List[Tensor] result of a script as one ONNX sequence output with the name of the list (opset 11 on),
    /// also if its length is known. An empty list is a sequence of float32. If off, each item of a list of known length
    /// becomes an output, NAME.0, NAME.1 if the list is an entry NAME of a dict, and an empty list has none. Default:
    /// false.
    pub fn sequence_outputs(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_sequence_outputs(options, enabled.into(), error) })
    }

    /// Name of the next input: first the user's inputs, then the weights in state-dict order. An empty name keeps the
    /// default. A quantised input has one name here; its scale and zero point are called NAME_scale and
    /// NAME_zero_point. Default: the argument names of forward, and state-dict keys.
    pub fn input_name(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|options, error| unsafe { sys::tonnx_options_add_input_name(options, name.as_ptr(), error) })
    }

    /// Name of the next output: one for each tensor, number, list of numbers or list of dynamic length that the program
    /// returns; tuples, dicts and other lists count item by item. An empty name keeps the default. A quantised output
    /// has one name here; its scale and zero point are called NAME_scale and NAME_zero_point. Default: the program's
    /// names, or output_N.
    pub fn output_name(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|options, error| unsafe { sys::tonnx_options_add_output_name(options, name.as_ptr(), error) })
    }

    /// A dynamic axis of an input or output. Negative axes count from the end. Without a symbol the axis is called
    /// NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.
    pub fn dynamic_axis<'s>(self, name: &str, axis: i64, symbol: impl Into<Option<&'s str>>) -> Result<Self> {
        let name = c_text(name)?;
        let symbol = symbol.into().map(c_text).transpose()?;
        let symbol = symbol.as_ref().map_or(std::ptr::null(), |symbol| symbol.as_ptr());
        self.with(|options, error| unsafe {
            sys::tonnx_options_add_dynamic_axis(options, name.as_ptr(), axis, symbol, error)
        })
    }

    /// Make every axis of every input dynamic. Axes that the program fixes keep the example's size, with a warning (as
    /// with fixed_dynamic_axes). Axes of a torch.export program that its archive fixes stay fixed; so do those of a
    /// trace that were not declared to it. Default: false.
    pub fn all_axes_dynamic(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_all_axes_dynamic(options, enabled.into(), error) })
    }

    /// What to do with a dynamic axis that the program fixes: its size is decided by a weight, a count or a check in
    /// the program, so the program runs only at the example's size; or torch.export exported it with a fixed size; or
    /// it is an axis of an output whose size is known. Other dynamic axes stay dynamic. Default:
    /// `FixedDynamicAxes::Error`.
    pub fn fixed_dynamic_axes(self, fixed_dynamic_axes: FixedDynamicAxes) -> Result<Self> {
        let mode = match fixed_dynamic_axes {
            FixedDynamicAxes::Error => sys::TONNX_FIXED_DYNAMIC_AXES_ERROR,
            FixedDynamicAxes::Warn => sys::TONNX_FIXED_DYNAMIC_AXES_WARN,
        };
        self.with(|options, error| unsafe { sys::tonnx_options_set_fixed_dynamic_axes(options, mode, error) })
    }

    /// Fix a dynamic size of a torch.export program to a constant: NAME:AXIS=SIZE for an axis of an input (negative
    /// axes count from the end), NAME=SIZE for an integer argument, which is then not an input, or SYMBOL=SIZE for a
    /// symbol of the model. Without =SIZE the size is the example's (the archive's own inputs if no arguments are
    /// given). '*' fixes all sizes that no dynamic axis names. Sizes derived from fixed sizes become constants, too.
    /// Refused if the ranges and conditions of the program do not allow the size. For a script, whose axes are fixed
    /// unless declared dynamic, NAME fixes an integer argument at the example's value and removes the input; '*' fixes
    /// all of them. Default: none: dynamic sizes of torch.export stay dynamic.
    pub fn fixed_axis(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|options, error| unsafe { sys::tonnx_options_add_fixed_axis(options, name.as_ptr(), error) })
    }

    /// Version of a custom domain in the opset imports of the model. Default: 1.
    pub fn custom_opset(self, domain: &str, version: i64) -> Result<Self> {
        let domain = c_text(domain)?;
        self.with(|options, error| unsafe {
            sys::tonnx_options_set_custom_opset(options, domain.as_ptr(), version, error)
        })
    }

    /// Seconds after which the export ends with status cancelled, at most 0.2 s later unless one operator of LibTorch,
    /// or its compilation of a long script, takes longer; 0: no limit. Default: 0.
    pub fn max_seconds(self, max_seconds: i32) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_max_seconds(options, max_seconds, error) })
    }

    /// Operators that the export may run in LibTorch or import before it is cancelled; each iteration of a loop that is
    /// unrolled or recorded counts. 0: no limit. Default: 0.
    pub fn max_steps(self, max_steps: i32) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_max_steps(options, max_steps, error) })
    }

    /// MiB that one constant may take that LibTorch computes from the constants of the program; if it is larger, the
    /// export is cancelled before it is computed. 0: no limit. Default: 0.
    pub fn max_constant_mib(self, max_constant_mib: i32) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_max_constant_mib(options, max_constant_mib, error) })
    }

    /// Nested calls that a TorchScript program may make, from 1 to 400. A program with more ends the export with status
    /// cancelled if the limit is below 400, else with status unsupported. Default: 400.
    pub fn max_call_depth(self, max_call_depth: i32) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_max_call_depth(options, max_call_depth, error) })
    }

    /// Program pass after which the program is printed to standard error, whether the pass changed it or not; 'all' for
    /// every pass. docs/passes.md lists the passes. Default: none.
    pub fn print_after(self, name: &str) -> Result<Self> {
        let name = c_text(name)?;
        self.with(|options, error| unsafe { sys::tonnx_options_add_print_after(options, name.as_ptr(), error) })
    }

    /// Print the program to standard error after each program pass that changed it. Default: false.
    pub fn print_changes(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_print_changes(options, enabled.into(), error) })
    }

    /// Add to the report how often each program pass ran, how often it changed the program and how many seconds it took
    /// ('passes'), and which bounds of repeated passes were reached ('bounds'). The export is slower. Default: false.
    pub fn pass_statistics(self, enabled: bool) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_pass_statistics(options, enabled.into(), error) })
    }
    // Made until here.

    /// Observes the exports with these options.
    pub fn observer(self, observer: &Observer) -> Result<Self> {
        self.with(|options, error| unsafe { sys::tonnx_options_set_observer(options, observer.as_ptr(), error) })
    }

    /// Makes a call that changes the handle; it is owned, so no other reference exists.
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
