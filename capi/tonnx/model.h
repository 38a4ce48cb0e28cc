#ifndef TONNX_MODEL_H
#define TONNX_MODEL_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* A finished ONNX model: its graph in memory, its weights where they lie in the archive. Const calls may run
 * concurrently. */

/* Exports a program. options NULL: all defaults; registry NULL: built-in lowerings alone. The model keeps what it needs
 * of the program. On failure *error lists every reason. Exports may run at once on several threads. */
TONNX_API tonnx_status tonnx_export(tonnx_model **out, const tonnx_program *program, const tonnx_args *args,
                                    const tonnx_options *options, const tonnx_registry *registry, tonnx_error **error);

enum {
  TONNX_EXTERNAL_DATA_AUTO = 0, /* beside the model if it would pass 2 GiB */
  TONNX_EXTERNAL_DATA_YES = 1,  /* one file NAME.onnx.data beside the model, with the weights of 1 KiB and more */
  TONNX_EXTERNAL_DATA_NO = 2,   /* all in one file; TONNX_ARGUMENT beyond 2 GiB */
  TONNX_EXTERNAL_DATA_ARCHIVE =
      3,                       /* no weight is written: the model points into the .pt, which must lie in its folder */
  TONNX_EXTERNAL_DATA_EACH = 4 /* each weight in a file of its own, in a folder NAME_initializers beside NAME.onnx,
                                   FILE.initializers beside a FILE of any other name */
};
/* Writes the model. Each file appears whole or not at all, the model last. */
TONNX_API tonnx_status tonnx_model_save(const tonnx_model *model, const char *path, int32_t external_data,
                                        tonnx_error **error);
/* Hands the file's bytes to a callback in order; user_data stays the caller's. TONNX_ARGUMENT, before the first byte,
 * for a model beyond the 2 GiB of a file: its weights go beside one that has a path (tonnx_model_save). So for a
 * descriptor and a buffer. */
TONNX_API tonnx_status tonnx_model_write(const tonnx_model *model, tonnx_write_fn write, void *user_data,
                                         tonnx_error **error);
/* Writes to an open file descriptor at its position; it stays open. */
TONNX_API tonnx_status tonnx_model_write_fd(const tonnx_model *model, int32_t fd, tonnx_error **error);
/* Makes a file of another form of a model: asks the model what it needs, and hands the bytes to the writer. Returns 0,
 * or anything else for failure. */
typedef int32_t (*tonnx_serialize_fn)(const tonnx_model *model, tonnx_writer *writer, void *user_data);
/* Saves what the caller's serializer makes of the model. The file appears whole or not at all; user_data stays the
 * caller's. TONNX_CALLBACK if the serializer fails, with the text of tonnx_writer_fail; an error of the writer even if
 * it goes on. */
TONNX_API tonnx_status tonnx_model_save_with(const tonnx_model *model, const char *path, tonnx_serialize_fn serialize,
                                             void *user_data, tonnx_error **error);
/* The next bytes of the file. Only within the serializer that was given the writer, on its thread; NULL with size 0 is
 * fine. */
TONNX_API tonnx_status tonnx_writer_write(tonnx_writer *writer, const void *data, size_t size, tonnx_error **error);
/* What the serializer failed for. Its last call, before it returns. */
TONNX_API void tonnx_writer_fail(tonnx_writer *writer, const char *message);
/* The file's bytes as a new buffer. */
TONNX_API tonnx_status tonnx_model_bytes(tonnx_buffer **out, const tonnx_model *model, tonnx_error **error);

enum {
  TONNX_TEXT_SHORT = 0, /* one line a node */
  TONNX_TEXT_FULL = 1   /* the protobuf message as text, without the weights' bytes */
};
/* The model as text; a new buffer. */
TONNX_API tonnx_status tonnx_model_text(tonnx_buffer **out, const tonnx_model *model, int32_t format,
                                        tonnx_error **error);
/* Runs the ONNX checker; TONNX_CHECKER with its text if the model is invalid. */
TONNX_API tonnx_status tonnx_model_check(const tonnx_model *model, tonnx_error **error);

/* Runs the model in ONNX Runtime and the program in LibTorch on `args` and compares count, dtype, shape and values:
 * |model - program| <= atol + rtol * |program|. A model with dynamic axes is run at one more size of each, on the
 * example's slices cut off or over again: TONNX_VERIFICATION also where LibTorch runs at no other size. A traced
 * program is compared with what its code returned, at the example's and at another size it ran at, and args may be
 * NULL; so they may for a program of torch.export, which comes with example inputs. rtol or atol below 0: by the
 * loosest floating dtype among the model's weights and values (float16 and bfloat16 1e-2, 1e-3; float32 1e-3, 1e-5;
 * float64 1e-5, 1e-7), whatever the output's own; a trace of inputs on an accelerator, where LibTorch may multiply
 * float32 as TF32, is compared as float16 then. Integers are compared exactly. TONNX_VERIFICATION tells the first
 * output that differs, where, and by how much; TONNX_ARGUMENT each input that does not fit the model; TONNX_FILE (class
 * "DependencyError") if ONNX Runtime is too old for the model or has no kernel for one of its operators, or cannot be
 * loaded (it is looked for at $TONNX_ONNXRUNTIME, or else where a file tonnx.onnxruntime beside the library says, as in
 * a build folder, and where the loader looks). */
TONNX_API tonnx_status tonnx_model_verify(const tonnx_model *model, const tonnx_program *program,
                                          const tonnx_args *args, double rtol, double atol, tonnx_error **error);

/* The same with options, which may be NULL. *out_warnings is a new buffer of what could not be verified, one line each:
 * other sizes at which LibTorch itself does not run; with out_warnings NULL that is TONNX_VERIFICATION, as above.
 * TONNX_ARGUMENT for a size of an axis that is not dynamic, and one at which a trace was not run. */
TONNX_API tonnx_status tonnx_model_verify_with(tonnx_buffer **out_warnings, const tonnx_model *model,
                                               const tonnx_program *program, const tonnx_args *args,
                                               const tonnx_verify_options *options, tonnx_error **error);

TONNX_API tonnx_status tonnx_verify_options_new(tonnx_verify_options **out, tonnx_error **error);
/* Made from options.json by scripts/options.py. */

/* Relative tolerance: |model - program| <= atol + rtol * |program|. Negative: the default. Integers are compared
 * exactly. Default: by the loosest floating dtype in the model (float16 and bfloat16 1e-2, float32 1e-3, on an
 * accelerator 1e-2, float64 1e-5). */
TONNX_API tonnx_status tonnx_verify_options_set_rtol(tonnx_verify_options *options, double value, tonnx_error **error);

/* Absolute tolerance, added to rtol * |program|. Negative: the default. Default: by the loosest floating dtype in the
 * model (float16 and bfloat16 1e-3, float32 1e-5, on an accelerator 1e-3, float64 1e-7). */
TONNX_API tonnx_status tonnx_verify_options_set_atol(tonnx_verify_options *options, double value, tonnx_error **error);

/* Size of a dynamic axis, by its symbol, in the second run. Default: one that tonnx chooses; for a trace, one that it
 * was run at. */
TONNX_API tonnx_status tonnx_verify_options_add_size(tonnx_verify_options *options, const char *symbol, int64_t size,
                                                     tonnx_error **error);

/* Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one at size 1.
 * Default: 1. */
TONNX_API tonnx_status tonnx_verify_options_set_other_sizes(tonnx_verify_options *options, int32_t enabled,
                                                            tonnx_error **error);

/* When searching for the operators that differ, also compare every operator alone, on LibTorch's values. This finds
 * differences that the outputs hide. Default: 0. */
TONNX_API tonnx_status tonnx_verify_options_set_every_operator(tonnx_verify_options *options, int32_t enabled,
                                                               tonnx_error **error);
/* Made until here. */
TONNX_API void tonnx_verify_options_free(tonnx_verify_options *options);

/* Whether what a program comes to depends on its inputs, as where a recording takes the branch that these values take.
 */

/* Where two models are first built otherwise, as text: another operator, attribute, constant or weight, or a value read
 * from elsewhere, with module path and source line. A new buffer, empty where they are built alike. Sizes that are
 * written beside values are not compared, as they follow the example inputs, nor are names that nobody chose. Elements
 * of weights are. */
TONNX_API tonnx_status tonnx_model_difference(tonnx_buffer **out, const tonnx_model *first, const tonnx_model *second,
                                              tonnx_error **error);
/* Exports the program once for each of `count` groups of arguments, two or more, and compares the models with that of
 * the first one as tonnx_model_difference does; the text names the group. A script tells more where options have it
 * recorded (mode trace). options and registry may be NULL. Fails as tonnx_export does. TONNX_ARGUMENT for a trace,
 * which is of its own arguments: record the code with each group, and compare the models of the recordings. */
TONNX_API tonnx_status tonnx_export_difference(tonnx_buffer **out, const tonnx_program *program,
                                               const tonnx_args *const *groups, size_t count,
                                               const tonnx_options *options, const tonnx_registry *registry,
                                               tonnx_error **error);

/* Between a program's own arguments and results, which may be nested, and the flat list that a model takes and gives.
 * For models of exported programs (.pt2), which tell their trees; TONNX_UNSUPPORTED for others. */

/* The tensors that the model's inputs get for these arguments of the program, as positional arguments of a new handle,
 * in the order of the inputs, without weights that are inputs: lists, tuples, dicts and objects are opened, None, texts
 * and numbers that are fixed in the program are left out, open numbers are rank-0 tensors, complex tensors real ones
 * with a last axis of 2. TONNX_ARGUMENT where the arguments do not fit the program. Tensors share their elements. */
TONNX_API tonnx_status tonnx_model_flat_inputs(tonnx_args **out, const tonnx_model *model, const tonnx_args *args,
                                               tonnx_error **error);
/* The same for a result of the program: the tensors that the model's outputs are. results holds it as its one
 * positional argument; several are a tuple of them. */
TONNX_API tonnx_status tonnx_model_flat_outputs(tonnx_args **out, const tonnx_model *model, const tonnx_args *results,
                                                tonnx_error **error);
/* Both trees as a JSON object, borrowed from the model, which has it as its metadata "tonnx.call"; "" where the program
 * does not tell them. "positional", "keywords" and "result" are nodes, "parameters" names of the arguments. A node has
 * its "kind" (tuple, list, dict, or the name of a class), its "items", and their "names" where they have some; a leaf
 * is {"input": NAME} or
 * {"output": NAME}, with "complex": true for a complex tensor, or {"fixed": VALUE} for what the model does not take or
 * give. */
TONNX_API const char *tonnx_model_call(const tonnx_model *model);

TONNX_API size_t tonnx_model_input_count(const tonnx_model *model);
TONNX_API const char *tonnx_model_input_name(const tonnx_model *model, size_t index);
TONNX_API size_t tonnx_model_output_count(const tonnx_model *model);
TONNX_API const char *tonnx_model_output_name(const tonnx_model *model, size_t index);
TONNX_API int32_t tonnx_model_opset(const tonnx_model *model);
TONNX_API int32_t tonnx_model_ir_version(const tonnx_model *model);

/* What the export found: borrowed from the model. */
TONNX_API const tonnx_report *tonnx_model_report(const tonnx_model *model);
TONNX_API size_t tonnx_report_warning_count(const tonnx_report *report);
TONNX_API const char *tonnx_report_warning(const tonnx_report *report, size_t index);
/* The whole report as a JSON object; borrowed from it. */
TONNX_API const char *tonnx_report_json(const tonnx_report *report);

/* Writes a report (tonnx_report_json of a model, tonnx_error_report of a failed export) as SARIF 2.1.0, with the ids of
 * rules under which PyTorch's exporters tell the same (POE0002 to POE0004, no_symbolic_function_for_call_function,
 * unsupported_fx_node_analysis) and tonnx's own: a result for each reason and each warning, a notification for each
 * step. The file appears whole or not at all. TONNX_ARGUMENT for a path that does not end in ".sarif", and for a text
 * that is no report. */
TONNX_API tonnx_status tonnx_save_diagnostics(const char *path, const char *report, tonnx_error **error);

TONNX_API void tonnx_model_free(tonnx_model *model);

/* Runs the ONNX checker, shape inference included, on a file with its external data. */
TONNX_API tonnx_status tonnx_file_check(const char *path, tonnx_error **error);
/* A model file's text form; its weights' bytes are not read. New buffer. */
TONNX_API tonnx_status tonnx_file_text(tonnx_buffer **out, const char *path, int32_t format, tonnx_error **error);

/* "0.1.0", and the versions of what it is built with: "LibTorch 2.11, onnx 1.23.2"; "LibTorch none" without. */
TONNX_API const char *tonnx_version(void);
TONNX_API const char *tonnx_build_info(void);

TONNX_END_DECLS

#endif
