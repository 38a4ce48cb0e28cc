package tonnx

// #include <tonnx.h>
import "C"

import "sort"

// Options tell how to export. The zero value of each field is its default.
type Options struct {
	// Made from options.json by scripts/options.py.

	// Opset of the default ONNX domain, from the oldest to the newest supported one. Default: 17.
	Opset int

	// Method of the archive. Default: "forward".
	Method string

	// Whether a scripted program's control flow is kept, or the program is run and what it does is recorded, loops
	// unrolled. Default: ModeAuto.
	Mode Mode

	// Whether dropout and batch norm are exported in inference or training form. Default: TrainingEval.
	Training Training

	// Replace operators on weights by their results, and normalisations by fixed statistics by other weights of the layer
	// before them (from opset 9, in eval mode); operators on constants alone are always replaced. Default: on in eval
	// mode, off in the others.
	ConstantFolding Toggle

	// Store the weights' values; otherwise weights become inputs after the user's. Default: on.
	ExportParams Toggle

	// List initializers among the graph's inputs. Default: InitializersAsInputsAuto.
	InitializersAsInputs InitializersAsInputs

	// Run the ONNX checker on the result. Default: on.
	Check Toggle

	// Write each node's source line as its doc_string. Default: off.
	DocStrings bool

	// Class of modules, without its Python module ('Linear'), whose calls become local functions of the model; '*' for all
	// classes. From opset 15. Default: none: the model is one graph.
	ModuleFunctions []string

	// Add the new values of all that the program writes to and that outlives the call (inputs, buffers, parameters,
	// attributes, captured tensors) as outputs NAME_written after its own. Without it, a warning names each write.
	// Default: off.
	WrittenOutputs bool

	// An export that warns fails with status warning (class WarningError); the warnings are its reasons. Default: off.
	WarningsAsErrors bool

	// A list of tensors that a script takes (List[Tensor]) is one sequence input, called as the argument, of any length
	// but for code that needs another; an axis named of it is one of every item. From opset 11. Without it, each item of
	// the example is an input, NAME.0, NAME.1. Default: off.
	SequenceInputs bool

	// Name of the next input: user inputs first, then weights in state-dict order. An empty one keeps the default name of
	// that input. A quantised input has one name here; its scale and zero point are NAME_scale and NAME_zero_point.
	// Default: the names of forward's arguments, and state-dict keys.
	InputNames []string

	// Name of the next output: one for each tensor, number or list that the program returns, those of tuples and dicts one
	// by one. An empty one keeps the default name of that output. A quantised output has one name here; its scale and zero
	// point are NAME_scale and NAME_zero_point. Default: the program's names, or output_N.
	OutputNames []string

	// Axis of an input or output that is dynamic; negative axes count from the end. Without a symbol it is called
	// NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.
	DynamicAxes []DynamicAxis

	// What becomes of a dynamic axis that the program fixes: one whose size a weight, a count or a check of the program
	// decides, so that it runs at the example's size only, one that torch.export exported with a fixed size, or one of an
	// output that has a known size. The other dynamic axes stay dynamic. Default: FixedDynamicAxesError.
	FixedDynamicAxes FixedDynamicAxes

	// An open size of a program of torch.export that is a number in the model: NAME:AXIS=SIZE of an input (negative axes
	// count from the end), NAME=SIZE of a number among the arguments, which is no input then, SYMBOL=SIZE as the model
	// calls it, without =SIZE at the size of the example (the archive's inputs, where none are given); '*' for all that no
	// dynamic axis names. All sizes that follow from it are numbers, too. Refused where the program's ranges and
	// conditions do not allow it. Of a script, whose axes are fixed anyway: NAME of a number among the arguments, which
	// has the example's value in the model and is no input; '*' for all of them. Default: none: what torch.export left
	// open stays open.
	FixedAxes []string

	// Version of a custom domain in the model's opset imports. Default: 1.
	CustomOpsets map[string]int64
	// Made until here.
}

// A DynamicAxis names an axis of an input or output whose size the model leaves open.
type DynamicAxis struct {
	Name   string // of the input or output
	Axis   int    // negative axes count from the end
	Symbol string // "": "NAME_dynamic_axes_K"
}

// Made from options.json by scripts/options.py.

// Training: form in which dropout and batch norm are exported.
type Training int32

const (
	// As in inference.
	TrainingEval Training = C.TONNX_TRAINING_EVAL
	// As the program says.
	TrainingPreserve Training = C.TONNX_TRAINING_PRESERVE
	// As in training.
	TrainingTrain Training = C.TONNX_TRAINING_TRAIN
)

// Mode: what becomes of a script's branches and loops.
type Mode int32

const (
	// As script, and as trace where the script cannot be exported and no axis is dynamic. The report tells which.
	ModeAuto Mode = C.TONNX_MODE_AUTO
	// They stay where a run decides them.
	ModeScript Mode = C.TONNX_MODE_SCRIPT
	// The script is run and recorded, at several sizes and on other values; what they decide is refused.
	ModeTrace Mode = C.TONNX_MODE_TRACE
)

// InitializersAsInputs: whether initializers are listed among the graph's inputs.
type InitializersAsInputs int32

const (
	// Below opset 9 only.
	InitializersAsInputsAuto InitializersAsInputs = C.TONNX_INITIALIZERS_AS_INPUTS_AUTO
	// At every opset.
	InitializersAsInputsAlways InitializersAsInputs = C.TONNX_INITIALIZERS_AS_INPUTS_ALWAYS
	// At no opset that allows it.
	InitializersAsInputsNever InitializersAsInputs = C.TONNX_INITIALIZERS_AS_INPUTS_NEVER
)

// FixedDynamicAxes: what becomes of a dynamic axis that has one size only.
type FixedDynamicAxes int32

const (
	// The export or the trace is refused.
	FixedDynamicAxesError FixedDynamicAxes = C.TONNX_FIXED_DYNAMIC_AXES_ERROR
	// The axis keeps the example's size, and a warning names the axis, the size and the reason.
	FixedDynamicAxesWarn FixedDynamicAxes = C.TONNX_FIXED_DYNAMIC_AXES_WARN
)

// Made until here.

// A Toggle is a switch whose zero value leaves the default.
type Toggle int8

const (
	On  Toggle = 1
	Off Toggle = -1
)

func (t Toggle) value() C.int32_t { return toBool(t != Off) }

// OldestOpset tells the oldest opset that can be exported to.
func OldestOpset() int { return int(C.tonnx_opset_oldest()) }

// NewestOpset tells the newest opset that can be exported to.
func NewestOpset() int { return int(C.tonnx_opset_newest()) }

// DefaultOpset tells the opset of an export whose options name none.
func DefaultOpset() int { return int(C.tonnx_opset_default()) }

// build makes the C library's object; nil stays nil. The caller frees it.
func (o *Options) build() (*C.tonnx_options, error) {
	if o == nil {
		return nil, nil
	}
	opset, err := toInt32("opset", o.Opset)
	if err != nil {
		return nil, err
	}
	var c texts
	defer c.free()
	method := c.add("method", o.Method)
	classes := c.addAll("class of modules", o.ModuleFunctions)
	fixed := c.addAll("fixed axis", o.FixedAxes)
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

	var made *C.tonnx_options
	err = try(func(failure **C.tonnx_error) C.tonnx_status {
		status := C.tonnx_options_new(&made, failure)
		set := func(step func() C.tonnx_status) {
			if status == C.TONNX_OK {
				status = step()
			}
		}
		// Made from options.json by scripts/options.py.
		if o.Opset != 0 {
			set(func() C.tonnx_status { return C.tonnx_options_set_opset(made, opset, failure) })
		}
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
		set(func() C.tonnx_status { return C.tonnx_options_set_export_params(made, o.ExportParams.value(), failure) })
		set(func() C.tonnx_status {
			return C.tonnx_options_set_initializers_as_inputs(made, C.int32_t(o.InitializersAsInputs), failure)
		})
		set(func() C.tonnx_status { return C.tonnx_options_set_check(made, o.Check.value(), failure) })
		set(func() C.tonnx_status { return C.tonnx_options_set_doc_strings(made, toBool(o.DocStrings), failure) })
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
			return C.tonnx_options_set_fixed_dynamic_axes(made, C.int32_t(o.FixedDynamicAxes), failure)
		})
		// Made until here.
		for i := range fixed {
			set(func() C.tonnx_status { return C.tonnx_options_add_fixed_axis(made, fixed[i], failure) })
		}
		for i := range classes {
			set(func() C.tonnx_status { return C.tonnx_options_add_module_function(made, classes[i], failure) })
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
