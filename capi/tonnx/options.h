#ifndef TONNX_OPTIONS_H
#define TONNX_OPTIONS_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* How to export; one setter per option. Strings are copied. Only one thread may set options at a time;
 * tonnx_program_export only reads them. */

TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_new(tonnx_options **out, tonnx_error **error);

/* Made from options.json by scripts/options.py. */

/* Opset version of the default ONNX domain, within the range that tonnx supports. Default: 17. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_opset(tonnx_options *options, int32_t value,
                                                                          tonnx_error **error);

typedef int32_t tonnx_target;
enum {
  /* ONNX Runtime 1.31 on CPUs. Operators that it lacks or computes wrongly are replaced by others that it runs. */
  TONNX_TARGET_ONNXRUNTIME = 0,
  /* Any runtime that implements the ONNX standard. Operators are not replaced, so the model is smaller and keeps narrow
     dtypes, but ONNX Runtime may refuse it or compute other results. */
  TONNX_TARGET_ONNX = 1
};
/* The runtime whose missing kernels and defects the model avoids. Default: TONNX_TARGET_ONNXRUNTIME. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_target(tonnx_options *options, tonnx_target value,
                                                                           tonnx_error **error);

/* Method of the archive to export. Default: "forward". */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_method(tonnx_options *options, const char *value,
                                                                           tonnx_error **error);

typedef int32_t tonnx_mode;
enum {
  /* As script; as trace if the script cannot be exported and no axis is dynamic. The report says which was used. */
  TONNX_MODE_AUTO = 0,
  /* Branches and loops that depend on run-time values are kept as If and Loop. */
  TONNX_MODE_SCRIPT = 1,
  /* The script is run and recorded at several sizes and on other values; control flow that depends on them is refused.
   */
  TONNX_MODE_TRACE = 2
};
/* Whether a script's branches and loops are kept, or the script is run and recorded, with its loops unrolled. Default:
 * TONNX_MODE_AUTO. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_mode(tonnx_options *options, tonnx_mode value,
                                                                         tonnx_error **error);

typedef int32_t tonnx_training;
enum {
  /* Inference form. */
  TONNX_TRAINING_EVAL = 0,
  /* The form that the program has. */
  TONNX_TRAINING_PRESERVE = 1,
  /* Training form. */
  TONNX_TRAINING_TRAIN = 2
};
/* Export dropout and batch norm in inference or training form. Default: TONNX_TRAINING_EVAL. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_training(tonnx_options *options,
                                                                             tonnx_training value, tonnx_error **error);

/* Compute operators on weights at export time, and fold normalisations with fixed statistics into the weights of the
 * layer before them (opset 9 on). In training mode this changes parameters, so it is a warning there. Operators on
 * constants are always folded. An operator with an operand or result above 8 MiB stays, unless it is an elementwise
 * operator on floating-point weights, a reduction, a Concat along the first axis, or a view of a weight. So does a
 * product of large matrices, and an operator on a weight with other uses if the model would grow. Default: on in eval
 * mode, off in other modes. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_constant_folding(tonnx_options *options,
                                                                                     int32_t enabled,
                                                                                     tonnx_error **error);

/* Store weights of equal dtype, shape and content once, under the name of the first one. Only in eval mode with stored
 * weights that are not inputs of the graph. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_merge_equal_weights(tonnx_options *options,
                                                                                        int32_t enabled,
                                                                                        tonnx_error **error);

/* Store the values of the weights. If off, weights become inputs after the user's inputs. Default: 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_export_params(tonnx_options *options,
                                                                                  int32_t enabled, tonnx_error **error);

typedef int32_t tonnx_initializers_as_inputs;
enum {
  /* Only below opset 9, where ONNX requires it, and if operator_export_type is not onnx. */
  TONNX_INITIALIZERS_AS_INPUTS_AUTO = 0,
  /* At every opset. */
  TONNX_INITIALIZERS_AS_INPUTS_ALWAYS = 1,
  /* Never, where the opset allows that (9 on). */
  TONNX_INITIALIZERS_AS_INPUTS_NEVER = 2
};
/* List initializers among the graph's inputs, too. Default: TONNX_INITIALIZERS_AS_INPUTS_AUTO. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_initializers_as_inputs(
    tonnx_options *options, tonnx_initializers_as_inputs value, tonnx_error **error);

typedef int32_t tonnx_operator_export_type;
enum {
  /* Operators of ONNX, or those that a symbolic returns. An operator without a conversion is an error. */
  TONNX_OPERATOR_EXPORT_TYPE_ONNX = 0,
  /* An operator without a conversion stays: a node of its own name in a domain named after its namespace. Tensors, and
     values known only at run time, are its inputs; constants are attributes with the names of the schema. */
  TONNX_OPERATOR_EXPORT_TYPE_FALLTHROUGH = 1,
  /* Every operator of aten that returns tensors is a node ATen of the domain org.pytorch.aten, with its name in the
     attributes 'operator' and 'overload_name' and all arguments as inputs; numbers are constants. */
  TONNX_OPERATOR_EXPORT_TYPE_ATEN = 2,
  /* The same only for operators of aten without a conversion. */
  TONNX_OPERATOR_EXPORT_TYPE_ATEN_FALLBACK = 3
};
/* Whether operators stay unconverted in the model, which then needs a runtime that has them. Each one that stays
 * although it should be converted is a warning. Default: TONNX_OPERATOR_EXPORT_TYPE_ONNX. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL
tonnx_options_set_operator_export_type(tonnx_options *options, tonnx_operator_export_type value, tonnx_error **error);

/* Convert the operators of a function that the host named in its trace and that has no symbolic. If off, such a
 * function is one operator prim::PythonOp, which is an error, or stays unconverted as operator_export_type says.
 * Archives have no such functions. Default: on; off if operator_export_type is fallthrough or aten_fallback. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_autograd_inlining(tonnx_options *options,
                                                                                      int32_t enabled,
                                                                                      tonnx_error **error);

/* Run the ONNX checker on the result. Default: 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_check(tonnx_options *options, int32_t enabled,
                                                                          tonnx_error **error);

/* File to which the model is written if the ONNX checker rejects it. The export fails all the same. Empty: none is
 * written. Default: "". */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_invalid_model(tonnx_options *options,
                                                                                  const char *value,
                                                                                  tonnx_error **error);

/* Write each node's source line as its doc_string. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_doc_strings(tonnx_options *options, int32_t enabled,
                                                                                tonnx_error **error);

/* Write the names of nodes. Values keep their names. Default: 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_node_names(tonnx_options *options, int32_t enabled,
                                                                               tonnx_error **error);

/* Call weights by their state-dict keys. If off, they are called weight_0, weight_1 in the order of the state dict,
 * unless input names replace them. Default: 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_weight_names(tonnx_options *options,
                                                                                 int32_t enabled, tonnx_error **error);

/* Write the type and the shape of each intermediate value. A dynamic size has its expression as dim_param; a size that
 * is known only at run time has the name of its value and axis, and so has a size of 1 that may be 0. Default: 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_value_info(tonnx_options *options, int32_t enabled,
                                                                               tonnx_error **error);

/* Class of modules whose calls become local functions of the model: its name without its Python module ('Linear') or
 * with it ('torch.nn.modules.linear.Linear'), or '*' for all classes. The Python module is the domain of the function.
 * Opset 15 on. Default: none: the model is one graph. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_add_module_function(tonnx_options *options,
                                                                                    const char *name,
                                                                                    tonnx_error **error);

/* Add outputs NAME_written with the new values of everything that the program writes to and that outlives the call:
 * inputs, buffers, parameters, attributes, captured tensors. If off, each such write is a warning. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_written_outputs(tonnx_options *options,
                                                                                    int32_t enabled,
                                                                                    tonnx_error **error);

/* Fail with status warning (class WarningError) if the export warns; the warnings are the reasons of the error.
 * Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_warnings_as_errors(tonnx_options *options,
                                                                                       int32_t enabled,
                                                                                       tonnx_error **error);

/* Export a List[Tensor] argument of a script as one ONNX sequence input with the name of the argument (opset 11 on). It
 * may have any length that the code accepts, and a dynamic axis of it applies to every item. If off, each item of the
 * example becomes an input: NAME.0, NAME.1. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_sequence_inputs(tonnx_options *options,
                                                                                    int32_t enabled,
                                                                                    tonnx_error **error);

/* Export a List[Tensor] result of a script as one ONNX sequence output with the name of the list (opset 11 on), also if
 * its length is known. An empty list is a sequence of float32. If off, each item of a list of known length becomes an
 * output, NAME.0, NAME.1 if the list is an entry NAME of a dict, and an empty list has none. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_sequence_outputs(tonnx_options *options,
                                                                                     int32_t enabled,
                                                                                     tonnx_error **error);

/* Name of the next input: first the user's inputs, then the weights in state-dict order. An empty name keeps the
 * default. A quantised input has one name here; its scale and zero point are called NAME_scale and NAME_zero_point.
 * Default: the argument names of forward, and state-dict keys. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_add_input_name(tonnx_options *options, const char *name,
                                                                               tonnx_error **error);

/* Name of the next output: one for each tensor, number, list of numbers or list of dynamic length that the program
 * returns; tuples, dicts and other lists count item by item. An empty name keeps the default. A quantised output has
 * one name here; its scale and zero point are called NAME_scale and NAME_zero_point. Default: the program's names, or
 * output_N. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_add_output_name(tonnx_options *options,
                                                                                const char *name, tonnx_error **error);

/* A dynamic axis of an input or output. Negative axes count from the end. Without a symbol the axis is called
 * NAME_dynamic_axes_K. Default: every axis is fixed to the example's size. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_add_dynamic_axis(tonnx_options *options,
                                                                                 const char *name, int64_t axis,
                                                                                 const char *symbol,
                                                                                 tonnx_error **error);

/* Make every axis of every input dynamic. Axes that the program fixes keep the example's size, with a warning (as with
 * fixed_dynamic_axes). Axes of a torch.export program that its archive fixes stay fixed; so do those of a trace that
 * were not declared to it. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_all_axes_dynamic(tonnx_options *options,
                                                                                     int32_t enabled,
                                                                                     tonnx_error **error);

typedef int32_t tonnx_fixed_dynamic_axes;
enum {
  /* Refuse the export or the trace. */
  TONNX_FIXED_DYNAMIC_AXES_ERROR = 0,
  /* Fix the axis at the example's size, and warn with the axis, the size and the reason. */
  TONNX_FIXED_DYNAMIC_AXES_WARN = 1
};
/* What to do with a dynamic axis that the program fixes: its size is decided by a weight, a count or a check in the
 * program, so the program runs only at the example's size; or torch.export exported it with a fixed size; or it is an
 * axis of an output whose size is known. Other dynamic axes stay dynamic. Default: TONNX_FIXED_DYNAMIC_AXES_ERROR. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_fixed_dynamic_axes(tonnx_options *options,
                                                                                       tonnx_fixed_dynamic_axes value,
                                                                                       tonnx_error **error);

/* Fix a dynamic size of a torch.export program to a constant: NAME:AXIS=SIZE for an axis of an input (negative axes
 * count from the end), NAME=SIZE for an integer argument, which is then not an input, or SYMBOL=SIZE for a symbol of
 * the model. Without =SIZE the size is the example's (the archive's own inputs if no arguments are given). '*' fixes
 * all sizes that no dynamic axis names. Sizes derived from fixed sizes become constants, too. Refused if the ranges and
 * conditions of the program do not allow the size. For a script, whose axes are fixed unless declared dynamic, NAME
 * fixes an integer argument at the example's value and removes the input; '*' fixes all of them. Default: none: dynamic
 * sizes of torch.export stay dynamic. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_add_fixed_axis(tonnx_options *options, const char *name,
                                                                               tonnx_error **error);

/* Version of a custom domain in the opset imports of the model. Default: 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_custom_opset(tonnx_options *options,
                                                                                 const char *domain, int64_t version,
                                                                                 tonnx_error **error);

/* Seconds after which the export ends with status cancelled, at most 0.2 s later unless one operator of LibTorch, or
 * its compilation of a long script, takes longer; 0: no limit. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_max_seconds(tonnx_options *options, int32_t value,
                                                                                tonnx_error **error);

/* Operators that the export may run in LibTorch or import before it is cancelled; each iteration of a loop that is
 * unrolled or recorded counts. 0: no limit. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_max_steps(tonnx_options *options, int32_t value,
                                                                              tonnx_error **error);

/* MiB that one constant may take that LibTorch computes from the constants of the program; if it is larger, the export
 * is cancelled before it is computed. 0: no limit. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_max_constant_mib(tonnx_options *options,
                                                                                     int32_t value,
                                                                                     tonnx_error **error);

/* Nested calls that a TorchScript program may make, from 1 to 400. A program with more ends the export with status
 * cancelled if the limit is below 400, else with status unsupported. Default: 400. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_max_call_depth(tonnx_options *options,
                                                                                   int32_t value, tonnx_error **error);

/* Program pass after which the program is printed to standard error, whether the pass changed it or not; 'all' for
 * every pass. docs/passes.md lists the passes. Default: none. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_add_print_after(tonnx_options *options,
                                                                                const char *name, tonnx_error **error);

/* Print the program to standard error after each program pass that changed it. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_print_changes(tonnx_options *options,
                                                                                  int32_t enabled, tonnx_error **error);

/* Add to the report how often each program pass ran, how often it changed the program and how many seconds it took
 * ('passes'), and which bounds of repeated passes were reached ('bounds'). The export is slower. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_pass_statistics(tonnx_options *options,
                                                                                    int32_t enabled,
                                                                                    tonnx_error **error);
/* Made until here. */

/* Observes exports with these options; NULL: none. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_options_set_observer(tonnx_options *options,
                                                                             const tonnx_observer *observer,
                                                                             tonnx_error **error);

TONNX_API void TONNX_CALL tonnx_options_free(tonnx_options *options);

TONNX_API int32_t TONNX_CALL tonnx_opset_oldest(void);
TONNX_API int32_t TONNX_CALL tonnx_opset_newest(void);
TONNX_API int32_t TONNX_CALL tonnx_opset_default(void);

TONNX_END_DECLS

#endif
