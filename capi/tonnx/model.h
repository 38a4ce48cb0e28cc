#ifndef TONNX_MODEL_H
#define TONNX_MODEL_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* A finished ONNX model: its graph is in memory, its weights stay in the archive. Const calls may run concurrently. */

/* Writes the model. Each file appears complete or not at all; the model appears last. options NULL: all defaults. If
 * the observer of the options cancels, no file appears. TONNX_STATUS_FILE if a file cannot be written, or a weight
 * cannot be read; TONNX_STATUS_ARGUMENT if the model exceeds 2 GiB and has no external data. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_save(const tonnx_model *model, const char *path,
                                                                   const tonnx_save_options *options,
                                                                   tonnx_error **error);
/* Passes the bytes of the file to a callback in order; user_data stays with the caller. TONNX_STATUS_ARGUMENT, before
 * the first byte, if the model exceeds 2 GiB: only tonnx_model_save can write external data, as it has a path. The same
 * limit applies to tonnx_model_write_fd and tonnx_model_bytes. TONNX_STATUS_CALLBACK if the callback fails;
 * TONNX_STATUS_FILE if a weight cannot be read: its file is gone or was cut off. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_write(const tonnx_model *model, tonnx_write_fn write,
                                                                    void *user_data, tonnx_error **error);
/* Writes to an open file descriptor at its current position. Does not close it. TONNX_STATUS_FILE as for
 * tonnx_model_save. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_write_fd(const tonnx_model *model, int32_t fd,
                                                                       tonnx_error **error);
/* Serializes a model in another file format: reads the model and passes the bytes to the writer. Returns 0, or any
 * other value on failure. */
typedef int32_t(TONNX_CALL *tonnx_serialize_fn)(const tonnx_model *model, tonnx_writer *writer, void *user_data);
/* Saves the model in the format of the caller's serializer. The file appears complete or not at all; user_data stays
 * with the caller. TONNX_STATUS_CALLBACK, with the message of tonnx_writer_fail, if the serializer fails. An error of
 * the writer is returned even if the serializer ignores it. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_serialize(const tonnx_model *model, const char *path,
                                                                        tonnx_serialize_fn serialize, void *user_data,
                                                                        tonnx_error **error);
/* Appends bytes to the file. Call it only inside the serializer that received the writer, on the same thread. data may
 * be NULL if size is 0. TONNX_STATUS_FILE if they cannot be written. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_writer_write(tonnx_writer *writer, const void *data,
                                                                     size_t size, tonnx_error **error);
/* Reports why the callback that received the writer fails: the call ends with TONNX_STATUS_CALLBACK and this message.
 * cause and destroy as in tonnx_graph_fail. Must be the last call on the writer before the callback returns. */
TONNX_API void TONNX_CALL tonnx_writer_fail(tonnx_writer *writer, const char *message, void *cause,
                                            tonnx_destroy_fn destroy);
/* Returns the bytes of the file in a new buffer. TONNX_STATUS_FILE if a weight cannot be read. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_bytes(tonnx_buffer **out, const tonnx_model *model,
                                                                    tonnx_error **error);

/* Returns the model as text in a new buffer. A picture has the types of results and the sizes of weights. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_text(tonnx_buffer **out, const tonnx_model *model,
                                                                   tonnx_text_format format, tonnx_error **error);
/* Runs the ONNX checker. TONNX_STATUS_CHECKER, with the checker's message, if the model is invalid. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_check(const tonnx_model *model, tonnx_error **error);

/* Runs the model in ONNX Runtime and the program in LibTorch on `args`, and compares count, dtype, shape and values of
 * the outputs: |model - program| <= atol + rtol * |program|. Integers are compared exactly. A model with dynamic axes
 * is also run at another size of each axis, on the example's elements cut off or repeated; TONNX_STATUS_VERIFICATION if
 * LibTorch does not run at any other size. A traced program is compared with the results of its code, at the example's
 * sizes and at other sizes that it was run at. args may be NULL for a trace, and for a program of torch.export that has
 * example inputs. A negative rtol or atol means the default, by the loosest floating dtype among the model's weights
 * and values (float16 and bfloat16 1e-2 and 1e-3; float32 1e-3 and 1e-5; float64 1e-5 and 1e-7), also for outputs of
 * another dtype. A trace with inputs on an accelerator, where LibTorch may multiply float32 as TF32, uses the defaults
 * of float16. TONNX_STATUS_VERIFICATION reports the first output that differs, the element, and by how much.
 * TONNX_STATUS_ARGUMENT reports every input that does not fit the model. TONNX_STATUS_FILE if ONNX Runtime cannot be
 * loaded or is too old for the model (class "DependencyError"), or has no kernel for one of its operators (class
 * "MissingKernelError"). It is searched at $TONNX_ONNXRUNTIME, else at the path in a file tonnx.onnxruntime beside the
 * library (as in a build folder), else where the loader searches.
 *
 * options NULL: all defaults. *out_warnings is a new buffer with one line for each thing that could not be
 * verified: other sizes at which LibTorch itself does not run. If out_warnings is NULL, the call fails
 * with TONNX_STATUS_VERIFICATION at such a size. TONNX_STATUS_ARGUMENT for a size of an axis that is not dynamic, and
 * for a size at which a trace was not run. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL
tonnx_model_verify(tonnx_buffer **out_warnings, const tonnx_model *model, const tonnx_program *program,
                   const tonnx_args *args, const tonnx_verify_options *options, tonnx_error **error);

/* Describes the first node at which two models differ, as text in a new buffer, with module path and source line:
 * another operator, attribute, constant or weight, or another source of a value. Empty if the models are equal.
 * Elements of weights are compared; TONNX_STATUS_FILE if they cannot be read. Sizes stored in value types are not
 * compared, since they follow the example inputs; generated names are not compared either. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_difference(tonnx_buffer **out, const tonnx_model *first,
                                                                         const tonnx_model *second,
                                                                         tonnx_error **error);
/* Convert between the arguments and results of a program, which may be nested, and the flat lists of inputs and outputs
 * of its model. For models of exported programs (.pt2), which store their argument trees; TONNX_STATUS_UNSUPPORTED for
 * other models. */

/* Returns the tensors for the model's inputs that correspond to these arguments of the program, as positional arguments
 * of a new handle. They are in the order of the inputs, without weights that are inputs. Lists, tuples, dicts and
 * objects are flattened. None, strings and numbers that are fixed in the program are omitted. Dynamic numbers become
 * rank-0 tensors; complex tensors become real tensors with a last axis of 2. TONNX_STATUS_ARGUMENT if the arguments do
 * not fit the program. Tensors share their elements. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_flat_inputs(tonnx_args **out, const tonnx_model *model,
                                                                          const tonnx_args *args, tonnx_error **error);
/* Same for a result of the program (the same statuses): returns the tensors that correspond to the model's outputs.
 * results holds the result as its only positional argument; several results are a tuple. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_flat_outputs(tonnx_args **out, const tonnx_model *model,
                                                                           const tonnx_args *results,
                                                                           tonnx_error **error);
/* Both argument trees as a JSON object, borrowed from the model, whose metadata "tonnx.call" has the same text; "" if
 * the program does not have them. "positional", "keywords" and "result" are nodes, "parameters" are the names of the
 * arguments. A node has its "kind" (tuple, list, dict, or a class name), its "items", and their "names" if they have
 * names. A leaf is {"input": NAME} or {"output": NAME}, with "complex": true for a complex tensor, or {"fixed": VALUE}
 * for a value that the model neither takes nor returns. */
TONNX_API const char *TONNX_CALL tonnx_model_call(const tonnx_model *model);

/* Inputs, outputs, weights and operators: tonnx_model_contents (contents.h). */
TONNX_API int32_t TONNX_CALL tonnx_model_opset(const tonnx_model *model);
TONNX_API int32_t TONNX_CALL tonnx_model_ir_version(const tonnx_model *model);

/* Report of the export (report.h), borrowed from the model. */
TONNX_API const tonnx_report *TONNX_CALL tonnx_model_report(const tonnx_model *model);
TONNX_API void TONNX_CALL tonnx_model_free(tonnx_model *model);

/* Runs the ONNX checker with shape inference on a file and its external data. TONNX_STATUS_CHECKER if the model is
 * invalid; TONNX_STATUS_FILE if the file is missing or not a model. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_file_check(const char *path, tonnx_error **error);
/* Returns a model file as text in a new buffer. Does not read the bytes of the weights. TONNX_STATUS_FILE if the file
 * is missing or not a model. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_file_text(tonnx_buffer **out, const char *path,
                                                                  tonnx_text_format format, tonnx_error **error);
/* Returns a picture of a model file (TONNX_TEXT_SVG or TONNX_TEXT_HTML) in a new buffer. mismatch is a text of
 * tonnx_mismatch_json, whose operators that differ are marked, or NULL. TONNX_STATUS_ARGUMENT for another text, and if
 * the model has none of these operators; TONNX_STATUS_FILE as for tonnx_file_text. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_file_picture(tonnx_buffer **out, const char *path,
                                                                     tonnx_text_format format, const char *mismatch,
                                                                     tonnx_error **error);

/* Runs a model file in ONNX Runtime, which is loaded as for tonnx_model_verify. The arguments go to the model's inputs
 * by position or, as keyword arguments, by name; a list of tensors is a sequence, a number a rank-0 tensor. Returns the
 * outputs in the model's order as new args, which tonnx_args_tensor reads, and in *out_names their names, each ended
 * by a NUL: the items of a sequence are NAME.0, NAME.1, ... out_names may be NULL, as may options, whose provider,
 * runtime libraries and observer are used. TONNX_STATUS_ARGUMENT if an input is missing or unknown,
 * TONNX_STATUS_VERIFICATION if ONNX Runtime refuses the model or the inputs, TONNX_STATUS_FILE if the file is missing
 * or not a model, or if ONNX Runtime is missing or lacks a kernel. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_file_run(tonnx_args **out, tonnx_buffer **out_names,
                                                                 const char *path, const tonnx_args *inputs,
                                                                 const tonnx_verify_options *options,
                                                                 tonnx_error **error);
/* Infers the types and shapes of the values of a model file, as ONNX does, and writes the model with them as value_info
 * to the file `result`, which may be the same. External data stay where they are, so that `result` must then be in the
 * folder of the model. TONNX_STATUS_CHECKER if a declared type contradicts an inferred one; TONNX_STATUS_FILE if
 * the file is missing or not a model, or the result cannot be written. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_file_infer(const char *path, const char *result,
                                                                   tonnx_error **error);

/* 1 if this thread is inside an export or a trace, else 0: in a symbolic, in a callback that is recorded, between
 * tonnx_trace_begin and tonnx_trace_end, and in an observer of these calls. */
TONNX_API int32_t TONNX_CALL tonnx_is_exporting(void);

TONNX_END_DECLS

#endif
