package tonnx

// #include <tonnx.h>
import "C"

import "sort"

// Options tell how to export. The zero value of each field is its default.
type Options struct {
	Opset                  int          // of the default ONNX domain; 0: DefaultOpset()
	Method                 string       // of the archive; "": "forward"
	Training               Training     // whether dropout and batch norm are exported in inference or training form
	DisableConstantFolding bool         // keep operators on weights; default: their results are stored
	OmitWeights            bool         // weights become inputs after the user's
	Initializers           Initializers // whether initializers are listed among the graph's inputs
	DisableCheck           bool         // do not run the ONNX checker on the result
	DocStrings             bool         // write each node's source line as its doc_string
	// Names of the inputs, user inputs first, then weights in state-dict order. Default: the names of forward's
	// arguments and state-dict keys.
	InputNames []string
	// Names of the outputs.
	OutputNames []string
	// Axes whose size the model leaves open. All others are fixed to the example's size.
	DynamicAxes []DynamicAxis
	// Versions of custom domains in the model's opset imports. Default: 1.
	CustomOpsets map[string]int64
}

// A DynamicAxis names an axis of an input or output whose size the model leaves open.
type DynamicAxis struct {
	Name   string // of the input or output
	Axis   int    // negative axes count from the end
	Symbol string // "": "NAME_dynamic_axes_K"
}

// Training tells the form of operators that differ in training.
type Training int32

const (
	TrainingEval     Training = C.TONNX_TRAINING_EVAL
	TrainingPreserve Training = C.TONNX_TRAINING_PRESERVE // as the program is
	TrainingTrain    Training = C.TONNX_TRAINING_TRAIN
)

// Initializers tells whether a graph lists its initializers among its inputs.
type Initializers int32

const (
	InitializersAuto        Initializers = C.TONNX_INITIALIZERS_AUTO // below opset 9 only
	InitializersAreInputs   Initializers = C.TONNX_INITIALIZERS_ARE_INPUTS
	InitializersAreNoInputs Initializers = C.TONNX_INITIALIZERS_ARE_NO_INPUTS
)

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
		if o.Opset != 0 {
			set(func() C.tonnx_status { return C.tonnx_options_set_opset(made, opset, failure) })
		}
		if o.Method != "" {
			set(func() C.tonnx_status { return C.tonnx_options_set_method(made, method, failure) })
		}
		set(func() C.tonnx_status { return C.tonnx_options_set_training(made, C.int32_t(o.Training), failure) })
		set(func() C.tonnx_status {
			return C.tonnx_options_set_constant_folding(made, toBool(!o.DisableConstantFolding), failure)
		})
		set(func() C.tonnx_status { return C.tonnx_options_set_export_params(made, toBool(!o.OmitWeights), failure) })
		set(func() C.tonnx_status {
			return C.tonnx_options_set_initializers_as_inputs(made, C.int32_t(o.Initializers), failure)
		})
		set(func() C.tonnx_status { return C.tonnx_options_set_check(made, toBool(!o.DisableCheck), failure) })
		set(func() C.tonnx_status { return C.tonnx_options_set_doc_strings(made, toBool(o.DocStrings), failure) })
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
