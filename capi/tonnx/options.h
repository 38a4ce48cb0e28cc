#ifndef TONNX_OPTIONS_H
#define TONNX_OPTIONS_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* How to export; one setter an option. Strings are copied. One thread at a time; tonnx_export only reads it. */

TONNX_API tonnx_status tonnx_options_new(tonnx_options **out, tonnx_error **error);

/* Made from options.json by scripts/options.py. */

/* Opset of the default ONNX domain, from the oldest to the newest supported one. Default: 17. */
TONNX_API tonnx_status tonnx_options_set_opset(tonnx_options *options, int32_t value, tonnx_error **error);

/* Method of the archive. Default: "forward". */
TONNX_API tonnx_status tonnx_options_set_method(tonnx_options *options, const char *value, tonnx_error **error);

enum {
  /* As script, and as trace where the script cannot be exported and no axis is dynamic. The report tells which. */
  TONNX_MODE_AUTO = 0,
  /* They stay where a run decides them. */
  TONNX_MODE_SCRIPT = 1,
  /* The script is run and recorded, at several sizes and on other values; what they decide is refused. */
  TONNX_MODE_TRACE = 2
};
/* Whether a scripted program's control flow is kept, or the program is run and what it does is recorded, loops
 * unrolled. Default: TONNX_MODE_AUTO. */
TONNX_API tonnx_status tonnx_options_set_mode(tonnx_options *options, int32_t value, tonnx_error **error);

enum {
  /* As in inference. */
  TONNX_TRAINING_EVAL = 0,
  /* As the program says. */
  TONNX_TRAINING_PRESERVE = 1,
  /* As in training. */
  TONNX_TRAINING_TRAIN = 2
};
/* Whether dropout and batch norm are exported in inference or training form. Default: TONNX_TRAINING_EVAL. */
TONNX_API tonnx_status tonnx_options_set_training(tonnx_options *options, int32_t value, tonnx_error **error);

/* Replace operators on weights by their results, and normalisations by fixed statistics by other weights of the layer
 * before them (from opset 9, in eval mode); operators on constants alone are always replaced. Default: on in eval mode,
 * off in the others. */
TONNX_API tonnx_status tonnx_options_set_constant_folding(tonnx_options *options, int32_t enabled, tonnx_error **error);

/* Store the weights' values; otherwise weights become inputs after the user's. Default: 1. */
TONNX_API tonnx_status tonnx_options_set_export_params(tonnx_options *options, int32_t enabled, tonnx_error **error);

enum {
  /* Below opset 9 only. */
  TONNX_INITIALIZERS_AS_INPUTS_AUTO = 0,
  /* At every opset. */
  TONNX_INITIALIZERS_AS_INPUTS_ALWAYS = 1,
  /* At no opset that allows it. */
  TONNX_INITIALIZERS_AS_INPUTS_NEVER = 2
};
/* List initializers among the graph's inputs. Default: TONNX_INITIALIZERS_AS_INPUTS_AUTO. */
TONNX_API tonnx_status tonnx_options_set_initializers_as_inputs(tonnx_options *options, int32_t value,
                                                                tonnx_error **error);

/* Run the ONNX checker on the result. Default: 1. */
TONNX_API tonnx_status tonnx_options_set_check(tonnx_options *options, int32_t enabled, tonnx_error **error);

/* Write each node's source line as its doc_string. Default: 0. */
TONNX_API tonnx_status tonnx_options_set_doc_strings(tonnx_options *options, int32_t enabled, tonnx_error **error);

/* Class of modules, without its Python module ('Linear'), whose calls become local functions of the model; '*' for all
 * classes. From opset 15. Default: none: the model is one graph. */
TONNX_API tonnx_status tonnx_options_add_module_function(tonnx_options *options, const char *name, tonnx_error **error);

/* Add the new values of all that the program writes to and that outlives the call (inputs, buffers, parameters,
 * attributes, captured tensors) as outputs NAME_written after its own. Without it, a warning names each write. Default:
 * 0. */
TONNX_API tonnx_status tonnx_options_set_written_outputs(tonnx_options *options, int32_t enabled, tonnx_error **error);

/* An export that warns fails with status warning (class WarningError); the warnings are its reasons. Default: 0. */
TONNX_API tonnx_status tonnx_options_set_warnings_as_errors(tonnx_options *options, int32_t enabled,
                                                            tonnx_error **error);

/* A list of tensors that a script takes (List[Tensor]) is one sequence input, called as the argument, of any length but
 * for code that needs another; an axis named of it is one of every item. From opset 11. Without it, each item of the
 * example is an input, NAME.0, NAME.1. Default: 0. */
TONNX_API tonnx_status tonnx_options_set_sequence_inputs(tonnx_options *options, int32_t enabled, tonnx_error **error);

/* Name of the next input: user inputs first, then weights in state-dict order. An empty one keeps the default name of
 * that input. A quantised input has one name here; its scale and zero point are NAME_scale and NAME_zero_point.
 * Default: the names of forward's arguments, and state-dict keys. */
TONNX_API tonnx_status tonnx_options_add_input_name(tonnx_options *options, const char *name, tonnx_error **error);

/* Name of the next output: one for each tensor, number or list that the program returns, those of tuples and dicts one
 * by one. An empty one keeps the default name of that output. A quantised output has one name here; its scale and zero
 * point are NAME_scale and NAME_zero_point. Default: the program's names, or output_N. */
TONNX_API tonnx_status tonnx_options_add_output_name(tonnx_options *options, const char *name, tonnx_error **error);

/* Axis of an input or output that is dynamic; negative axes count from the end. Without a symbol it is called
 * NAME_dynamic_axes_K. Default: every axis is fixed to the example's size. */
TONNX_API tonnx_status tonnx_options_add_dynamic_axis(tonnx_options *options, const char *name, int64_t axis,
                                                      const char *symbol, tonnx_error **error);

enum {
  /* The export or the trace is refused. */
  TONNX_FIXED_DYNAMIC_AXES_ERROR = 0,
  /* The axis keeps the example's size, and a warning names the axis, the size and the reason. */
  TONNX_FIXED_DYNAMIC_AXES_WARN = 1
};
/* What becomes of a dynamic axis that the program fixes: one whose size a weight, a count or a check of the program
 * decides, so that it runs at the example's size only, one that torch.export exported with a fixed size, or one of an
 * output that has a known size. The other dynamic axes stay dynamic. Default: TONNX_FIXED_DYNAMIC_AXES_ERROR. */
TONNX_API tonnx_status tonnx_options_set_fixed_dynamic_axes(tonnx_options *options, int32_t value, tonnx_error **error);

/* An open size of a program of torch.export that is a number in the model: NAME:AXIS=SIZE of an input (negative axes
 * count from the end), NAME=SIZE of a number among the arguments, which is no input then, SYMBOL=SIZE as the model
 * calls it, without =SIZE at the size of the example (the archive's inputs, where none are given); '*' for all that no
 * dynamic axis names. All sizes that follow from it are numbers, too. Refused where the program's ranges and conditions
 * do not allow it. Of a script, whose axes are fixed anyway: NAME of a number among the arguments, which has the
 * example's value in the model and is no input; '*' for all of them. Default: none: what torch.export left open stays
 * open. */
TONNX_API tonnx_status tonnx_options_add_fixed_axis(tonnx_options *options, const char *name, tonnx_error **error);

/* Version of a custom domain in the model's opset imports. Default: 1. */
TONNX_API tonnx_status tonnx_options_set_custom_opset(tonnx_options *options, const char *domain, int64_t version,
                                                      tonnx_error **error);
/* Made until here. */

TONNX_API void tonnx_options_free(tonnx_options *options);

TONNX_API int32_t tonnx_opset_oldest(void);
TONNX_API int32_t tonnx_opset_newest(void);
TONNX_API int32_t tonnx_opset_default(void);

TONNX_END_DECLS

#endif
