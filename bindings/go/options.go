package tonnx

// #include <tonnx.h>
import "C"

import "sort"

// Options for an export. The zero value of each field is its default.
type Options struct {
	// Made from options.json by scripts/options.py.

	// Opset version of the default ONNX domain, within the range that tonnx supports. Default: 17.
	Opset int

	// The runtime whose missing kernels and defects the model avoids. Default: TargetOnnxruntime.
	Target Target

	// Method of the archive to export. Default: "forward".
	Method string

	// Whether a script's branches and loops are kept, or the script is run and recorded, with its loops unrolled. Default:
	// ModeAuto.
	Mode Mode

	// Export dropout and batch norm in inference or training form. Default: TrainingEval.
	Training Training

	// Compute operators on weights at export time, and fold normalisations with fixed statistics into the weights of the
	// layer before them (opset 9 on). In training mode this changes parameters, so it is a warning there. Operators on
	// constants are always folded. An operator with an operand or result above 8 MiB stays, unless it is an elementwise
	// operator on floating-point weights, a reduction, a Concat along the first axis, or a view of a weight. So does a
	// product of large matrices, and an operator on a weight with other uses if the model would grow. Default: on in eval
	// mode, off in other modes.
	ConstantFolding Toggle

	// Store weights of equal dtype, shape and content once, under the name of the first one. Only in eval mode with stored
	// weights that are not inputs of the graph. Default: off.
	MergeEqualWeights bool

	// Store the values of the weights. If off, weights become inputs after the user's inputs. Default: on.
	ExportParams Toggle

	// List initializers among the graph's inputs, too. Default: InitializersAsInputsAuto.
	InitializersAsInputs InitializersAsInputs

	// Whether operators stay unconverted in the model, which then needs a runtime that has them. Each one that stays
	// although it should be converted is a warning. Default: OperatorExportTypeOnnx.
	OperatorExportType OperatorExportType

	// Convert the operators of a function that the host named in its trace and that has no symbolic. If off, such a
	// function is one operator prim::PythonOp, which is an error, or stays unconverted as operator_export_type says.
	// Archives have no such functions. Default: on; off if operator_export_type is fallthrough or aten_fallback.
	AutogradInlining Toggle

	// Run the ONNX checker on the result. Default: on.
	Check Toggle

	// File to which the model is written if the ONNX checker rejects it. The export fails all the same. Empty: none is
	// written. Default: "".
	InvalidModel string

	// Write each node's source line as its doc_string. Default: off.
	DocStrings bool

	// Write the names of nodes. Values keep their names. Default: on.
	NodeNames Toggle

	// Call weights by their state-dict keys. If off, they are called weight_0, weight_1 in the order of the state dict,
	// unless input names replace them. Default: on.
	WeightNames Toggle

	// Write the type and the shape of each intermediate value. A dynamic size has its expression as dim_param; a size that
	// is known only at run time has the name of its value and axis, and so has a size of 1 that may be 0. Default: on.
	ValueInfo Toggle

	// Class of modules whose calls become local functions of the model: its name without its Python module ('Linear') or
	// with it ('torch.nn.modules.linear.Linear'), or '*' for all classes. The Python module is the domain of the function.
	// Opset 15 on. Default: none: the model is one graph.
	ModuleFunctions []string

	// Add outputs NAME_written with the new values of everything that the program writes to and that outlives the call:
	// inputs, buffers, parameters, attributes, captured tensors. If off, each such write is a warning. Default: off.
	WrittenOutputs bool

	// Fail with status warning (class WarningError) if the export warns; the warnings are the reasons of the error.
	// Default: off.
	WarningsAsErrors bool

	// Export a List[Tensor] argument of a script as one ONNX sequence input with the name of the argument (opset 11 on).
	// It may have any length that the code accepts, and a dynamic axis of it applies to every item. If off, each item of
	// the example becomes an input: NAME.0, NAME.1. Default: off.
	SequenceInputs bool

	// Export a List[Tensor] result of a script as one ONNX sequence output with the name of the list (opset 11 on), also
	// if its length is known. An empty list is a sequence of float32. If off, each item of a list of known length becomes
	// an output, NAME.0, NAME.1 if the list is an entry NAME of a dict, and an empty list has none. Default: off.
	SequenceOutputs bool

	// Name of the next input: first the user's inputs, then the weights in state-dict order. An empty name keeps the
	// default. A quantised input has one name here; its scale and zero point are called NAME_scale and NAME_zero_point.
	// Default: the argument names of forward, and state-dict keys.
	InputNames []string

	// Name of the next output: one for each tensor, number, list of numbers or list of dynamic length that the program
	// returns; tuples, dicts and other lists count item by item. An empty name keeps the default. A quantised output has
	// one name here; its scale and zero point are called NAME_scale and NAME_zero_point. Default: the program's names, or
	// output_N.
	OutputNames []string

	// A dynamic axis of an input or output. Negative axes count from the end. Without a symbol the axis is called
	// NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.
	DynamicAxes []DynamicAxis

	// Make every axis of every input dynamic. Axes that the program fixes keep the example's size, with a warning (as with
	// fixed_dynamic_axes). Axes of a torch.export program that its archive fixes stay fixed; so do those of a trace that
	// were not declared to it. Default: off.
	AllAxesDynamic bool

	// What to do with a dynamic axis that the program fixes: its size is decided by a weight, a count or a check in the
	// program, so the program runs only at the example's size; or torch.export exported it with a fixed size; or it is an
	// axis of an output whose size is known. Other dynamic axes stay dynamic. Default: FixedDynamicAxesError.
	FixedDynamicAxes FixedDynamicAxes

	// Fix a dynamic size of a torch.export program to a constant: NAME:AXIS=SIZE for an axis of an input (negative axes
	// count from the end), NAME=SIZE for an integer argument, which is then not an input, or SYMBOL=SIZE for a symbol of
	// the model. Without =SIZE the size is the example's (the archive's own inputs if no arguments are given). '*' fixes
	// all sizes that no dynamic axis names. Sizes derived from fixed sizes become constants, too. Refused if the ranges
	// and conditions of the program do not allow the size. For a script, whose axes are fixed unless declared dynamic,
	// NAME fixes an integer argument at the example's value and removes the input; '*' fixes all of them. Default: none:
	// dynamic sizes of torch.export stay dynamic.
	FixedAxes []string

	// Version of a custom domain in the opset imports of the model. Default: 1.
	CustomOpsets map[string]int64

	// Seconds after which the export ends with status cancelled, at most 0.2 s later unless one operator of LibTorch, or
	// its compilation of a long script, takes longer; 0: no limit. Default: 0.
	MaxSeconds int

	// Operators that the export may run in LibTorch or import before it is cancelled; each iteration of a loop that is
	// unrolled or recorded counts. 0: no limit. Default: 0.
	MaxSteps int

	// MiB that one constant may take that LibTorch computes from the constants of the program; if it is larger, the export
	// is cancelled before it is computed. 0: no limit. Default: 0.
	MaxConstantMib int

	// Nested calls that a TorchScript program may make, from 1 to 400. A program with more ends the export with status
	// cancelled if the limit is below 400, else with status unsupported. Default: 400.
	MaxCallDepth int

	// Program pass after which the program is printed to standard error, whether the pass changed it or not; 'all' for
	// every pass. docs/passes.md lists the passes. Default: none.
	PrintAfter []string

	// Print the program to standard error after each program pass that changed it. Default: off.
	PrintChanges bool

	// Add to the report how often each program pass ran, how often it changed the program and how many seconds it took
	// ('passes'), and which bounds of repeated passes were reached ('bounds'). The export is slower. Default: off.
	PassStatistics bool
	// Made until here.

	// Follows and cancels the exports. Default: none.
	Observer *Observer
}

// A DynamicAxis names a dynamic axis of an input or output.
type DynamicAxis struct {
	Name   string // of the input or output
	Axis   int    // negative axes count from the end
	Symbol string // "": "NAME_dynamic_axes_K"
}

// Made from options.json by scripts/options.py.

// Training: the form of dropout and batch norm in the model.
type Training int32

const (
	// Inference form.
	TrainingEval Training = C.TONNX_TRAINING_EVAL
	// The form that the program has.
	TrainingPreserve Training = C.TONNX_TRAINING_PRESERVE
	// Training form.
	TrainingTrain Training = C.TONNX_TRAINING_TRAIN
)

// Mode: how a script's control flow is exported.
type Mode int32

const (
	// As script; as trace if the script cannot be exported and no axis is dynamic. The report says which was used.
	ModeAuto Mode = C.TONNX_MODE_AUTO
	// Branches and loops that depend on run-time values are kept as If and Loop.
	ModeScript Mode = C.TONNX_MODE_SCRIPT
	// The script is run and recorded at several sizes and on other values; control flow that depends on them is refused.
	ModeTrace Mode = C.TONNX_MODE_TRACE
)

// OperatorExportType: what becomes of an operator in the model.
type OperatorExportType int32

const (
	// Operators of ONNX, or those that a symbolic returns. An operator without a conversion is an error.
	OperatorExportTypeOnnx OperatorExportType = C.TONNX_OPERATOR_EXPORT_TYPE_ONNX
	// An operator without a conversion stays: a node of its own name in a domain named after its namespace. Tensors, and values known only at run time, are its inputs; constants are attributes with the names of the schema.
	OperatorExportTypeFallthrough OperatorExportType = C.TONNX_OPERATOR_EXPORT_TYPE_FALLTHROUGH
	// Every operator of aten that returns tensors is a node ATen of the domain org.pytorch.aten, with its name in the attributes 'operator' and 'overload_name' and all arguments as inputs; numbers are constants.
	OperatorExportTypeAten OperatorExportType = C.TONNX_OPERATOR_EXPORT_TYPE_ATEN
	// The same only for operators of aten without a conversion.
	OperatorExportTypeAtenFallback OperatorExportType = C.TONNX_OPERATOR_EXPORT_TYPE_ATEN_FALLBACK
)

// InitializersAsInputs: whether initializers are also graph inputs.
type InitializersAsInputs int32

const (
	// Only below opset 9, where ONNX requires it, and if operator_export_type is not onnx.
	InitializersAsInputsAuto InitializersAsInputs = C.TONNX_INITIALIZERS_AS_INPUTS_AUTO
	// At every opset.
	InitializersAsInputsAlways InitializersAsInputs = C.TONNX_INITIALIZERS_AS_INPUTS_ALWAYS
	// Never, where the opset allows that (9 on).
	InitializersAsInputsNever InitializersAsInputs = C.TONNX_INITIALIZERS_AS_INPUTS_NEVER
)

// FixedDynamicAxes: what to do with a dynamic axis that can have one size only.
type FixedDynamicAxes int32

const (
	// Refuse the export or the trace.
	FixedDynamicAxesError FixedDynamicAxes = C.TONNX_FIXED_DYNAMIC_AXES_ERROR
	// Fix the axis at the example's size, and warn with the axis, the size and the reason.
	FixedDynamicAxesWarn FixedDynamicAxes = C.TONNX_FIXED_DYNAMIC_AXES_WARN
)

// Target: the runtime that a model is made for.
type Target int32

const (
	// ONNX Runtime 1.31 on CPUs. Operators that it lacks or computes wrongly are replaced by others that it runs.
	TargetOnnxruntime Target = C.TONNX_TARGET_ONNXRUNTIME
	// Any runtime that implements the ONNX standard. Operators are not replaced, so the model is smaller and keeps narrow dtypes, but ONNX Runtime may refuse it or compute other results.
	TargetOnnx Target = C.TONNX_TARGET_ONNX
)

// Made until here.

// A Toggle is a switch whose zero value is the default.
type Toggle int8

const (
	On  Toggle = 1
	Off Toggle = -1
)

func (t Toggle) value() C.int32_t { return toBool(t != Off) }

// OldestOpset returns the oldest supported opset.
func OldestOpset() int { return int(C.tonnx_opset_oldest()) }

// NewestOpset returns the newest supported opset.
func NewestOpset() int { return int(C.tonnx_opset_newest()) }

// DefaultOpset returns the opset of an export if the options do not set it.
func DefaultOpset() int { return int(C.tonnx_opset_default()) }

// build creates the C library's object; nil stays nil. The caller frees it.
func (o *Options) build() (*C.tonnx_options, error) {
	if o == nil {
		return nil, nil
	}
	var opset, maxSeconds, maxSteps, maxConstantMib, maxCallDepth C.int32_t
	for _, number := range []struct {
		into  *C.int32_t
		what  string
		value int
	}{
		{&opset, "opset", o.Opset}, {&maxSeconds, "limit of seconds", o.MaxSeconds}, {&maxSteps, "limit of steps", o.MaxSteps},
		{&maxConstantMib, "limit of constants", o.MaxConstantMib}, {&maxCallDepth, "limit of calls", o.MaxCallDepth},
	} {
		var err error
		if *number.into, err = toInt32(number.what, number.value); err != nil {
			return nil, err
		}
	}
	var c texts
	defer c.free()
	method := c.add("method", o.Method)
	invalidModel := c.add("file of an invalid model", o.InvalidModel)
	classes := c.addAll("class of modules", o.ModuleFunctions)
	fixed := c.addAll("fixed axis", o.FixedAxes)
	printed := c.addAll("pass to print after", o.PrintAfter)
	inputs, outputs := c.addAll("input name", o.InputNames), c.addAll("output name", o.OutputNames)
	axes := make([][2]*C.char, 0, len(o.DynamicAxes))
	for _, axis := range o.DynamicAxes {
		pair := [2]*C.char{c.add("name of a dynamic axis", axis.Name)}
		if axis.Symbol != "" {
			pair[1] = c.add("symbol of a dynamic axis", axis.Symbol)
		}
		axes = append(axes, pair)
	}
	names := make([]string, 0, len(o.CustomOpsets))
	for name := range o.CustomOpsets {
		names = append(names, name)
	}
	sort.Strings(names)
	domains := c.addAll("domain", names)
	if c.err != nil {
		return nil, c.err
	}

	observer, err := o.Observer.build()
	if err != nil {
		return nil, err
	}
	defer C.tonnx_observer_free(observer)

	var made *C.tonnx_options
	err = try(func(failure **C.tonnx_error) C.tonnx_status {
		status := C.tonnx_options_new(&made, failure)
		set := func(step func() C.tonnx_status) {
			if status == C.TONNX_STATUS_OK {
				status = step()
			}
		}
		// Made from options.json by scripts/options.py.
		if o.Opset != 0 {
			set(func() C.tonnx_status { return C.tonnx_options_set_opset(made, opset, failure) })
		}
		set(func() C.tonnx_status { return C.tonnx_options_set_target(made, C.int32_t(o.Target), failure) })
		if o.Method != "" {
			set(func() C.tonnx_status { return C.tonnx_options_set_method(made, method, failure) })
		}
		set(func() C.tonnx_status { return C.tonnx_options_set_mode(made, C.int32_t(o.Mode), failure) })
		set(func() C.tonnx_status { return C.tonnx_options_set_training(made, C.int32_t(o.Training), failure) })
		if o.ConstantFolding != 0 {
			set(func() C.tonnx_status {
				return C.tonnx_options_set_constant_folding(made, o.ConstantFolding.value(), failure)
			})
		}
		set(func() C.tonnx_status {
			return C.tonnx_options_set_merge_equal_weights(made, toBool(o.MergeEqualWeights), failure)
		})
		set(func() C.tonnx_status { return C.tonnx_options_set_export_params(made, o.ExportParams.value(), failure) })
		set(func() C.tonnx_status {
			return C.tonnx_options_set_initializers_as_inputs(made, C.int32_t(o.InitializersAsInputs), failure)
		})
		set(func() C.tonnx_status {
			return C.tonnx_options_set_operator_export_type(made, C.int32_t(o.OperatorExportType), failure)
		})
		if o.AutogradInlining != 0 {
			set(func() C.tonnx_status {
				return C.tonnx_options_set_autograd_inlining(made, o.AutogradInlining.value(), failure)
			})
		}
		set(func() C.tonnx_status { return C.tonnx_options_set_check(made, o.Check.value(), failure) })
		if o.InvalidModel != "" {
			set(func() C.tonnx_status { return C.tonnx_options_set_invalid_model(made, invalidModel, failure) })
		}
		set(func() C.tonnx_status { return C.tonnx_options_set_doc_strings(made, toBool(o.DocStrings), failure) })
		set(func() C.tonnx_status { return C.tonnx_options_set_node_names(made, o.NodeNames.value(), failure) })
		set(func() C.tonnx_status { return C.tonnx_options_set_weight_names(made, o.WeightNames.value(), failure) })
		set(func() C.tonnx_status { return C.tonnx_options_set_value_info(made, o.ValueInfo.value(), failure) })
		set(func() C.tonnx_status {
			return C.tonnx_options_set_written_outputs(made, toBool(o.WrittenOutputs), failure)
		})
		set(func() C.tonnx_status {
			return C.tonnx_options_set_warnings_as_errors(made, toBool(o.WarningsAsErrors), failure)
		})
		set(func() C.tonnx_status {
			return C.tonnx_options_set_sequence_inputs(made, toBool(o.SequenceInputs), failure)
		})
		set(func() C.tonnx_status {
			return C.tonnx_options_set_sequence_outputs(made, toBool(o.SequenceOutputs), failure)
		})
		set(func() C.tonnx_status {
			return C.tonnx_options_set_all_axes_dynamic(made, toBool(o.AllAxesDynamic), failure)
		})
		set(func() C.tonnx_status {
			return C.tonnx_options_set_fixed_dynamic_axes(made, C.int32_t(o.FixedDynamicAxes), failure)
		})
		if o.MaxSeconds != 0 {
			set(func() C.tonnx_status { return C.tonnx_options_set_max_seconds(made, maxSeconds, failure) })
		}
		if o.MaxSteps != 0 {
			set(func() C.tonnx_status { return C.tonnx_options_set_max_steps(made, maxSteps, failure) })
		}
		if o.MaxConstantMib != 0 {
			set(func() C.tonnx_status { return C.tonnx_options_set_max_constant_mib(made, maxConstantMib, failure) })
		}
		if o.MaxCallDepth != 0 {
			set(func() C.tonnx_status { return C.tonnx_options_set_max_call_depth(made, maxCallDepth, failure) })
		}
		set(func() C.tonnx_status { return C.tonnx_options_set_print_changes(made, toBool(o.PrintChanges), failure) })
		set(func() C.tonnx_status {
			return C.tonnx_options_set_pass_statistics(made, toBool(o.PassStatistics), failure)
		})
		// Made until here.
		set(func() C.tonnx_status { return C.tonnx_options_set_observer(made, observer, failure) })
		for i := range fixed {
			set(func() C.tonnx_status { return C.tonnx_options_add_fixed_axis(made, fixed[i], failure) })
		}
		for i := range classes {
			set(func() C.tonnx_status { return C.tonnx_options_add_module_function(made, classes[i], failure) })
		}
		for i := range printed {
			set(func() C.tonnx_status { return C.tonnx_options_add_print_after(made, printed[i], failure) })
		}
		for i := range inputs {
			set(func() C.tonnx_status { return C.tonnx_options_add_input_name(made, inputs[i], failure) })
		}
		for i := range outputs {
			set(func() C.tonnx_status { return C.tonnx_options_add_output_name(made, outputs[i], failure) })
		}
		for i := range axes {
			set(func() C.tonnx_status {
				return C.tonnx_options_add_dynamic_axis(made, axes[i][0], C.int64_t(o.DynamicAxes[i].Axis), axes[i][1],
					failure)
			})
		}
		for i, name := range names {
			set(func() C.tonnx_status {
				return C.tonnx_options_set_custom_opset(made, domains[i], C.int64_t(o.CustomOpsets[name]), failure)
			})
		}
		return status
	})
	if err != nil {
		C.tonnx_options_free(made)
		return nil, err
	}
	return made, nil
}

// addAll copies each of several strings.
func (t *texts) addAll(what string, all []string) []*C.char {
	copies := make([]*C.char, 0, len(all))
	for _, text := range all {
		copies = append(copies, t.add(what, text))
	}
	return copies
}
