#ifndef TONNX_PROGRAM_H
#define TONNX_PROGRAM_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* A LibTorch program: a loaded archive, compiled source text, a module in the caller's process, or a trace of the
 * caller's own code (tonnx/trace.h). Const calls may run concurrently. */

/* Loads a TorchScript archive (.pt) or an exported program (.pt2), recognised by content. Does not read the bytes of
 * the weights: the file must stay in place, unchanged, while the program or a model made of it lives. Returns a new
 * program. TONNX_STATUS_FILE if the file is missing, damaged or of another format; TONNX_STATUS_UNSUPPORTED if it uses
 * an operator that is not registered, and names it. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_load(tonnx_program **out, const char *path,
                                                                     tonnx_error **error);
/* Same, from memory; the bytes are copied. Same statuses. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_load_bytes(tonnx_program **out, const void *data,
                                                                           size_t size, tonnx_error **error);

/* Returns a new program with other weights. `program` is an exported program (.pt2), saved with or without weights.
 * `path` is a state dict: a file written by torch.save, with the state dict alone or under "state_dict"; a .safetensors
 * file; or the index of several (.safetensors.index.json). Its tensors are the parameters and persistent buffers, by
 * state-dict key. A missing key is allowed if the program ties its weight to one that is present. Does not read the
 * bytes of the weights: the file must stay unchanged while the program or a model made of it lives.
 * TONNX_STATUS_ARGUMENT if the program is not an exported program; TONNX_STATUS_FILE if the file cannot be read. A
 * weight that is missing, unknown or of another dtype or shape is reported with TONNX_STATUS_ARGUMENT by the calls that
 * read the program (tonnx_program_export, tonnx_program_text). */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_with_weights(tonnx_program **out,
                                                                             const tonnx_program *program,
                                                                             const char *path, tonnx_error **error);

/* Compiles TorchScript source text in this process, for a host without Python. The text consists of functions, which
 * may have control flow. Returns a new program. The code is not run now.
 *
 *   def scaled(x: Tensor, n: int) -> Tensor:
 *       return x * float(n)
 *
 *   def forward(self, x: Tensor) -> Tensor:
 *       for i in range(3):
 *           if bool(x.sum() > 0.0):
 *               x = scaled(x, i) @ self.layer1.weight
 *       return x
 *
 * A parameter without a type is a Tensor. torch.NAME is LibTorch's operator aten::NAME; torch.ops.NS.NAME is an
 * operator of another library. torch's dtypes, torch.linalg, torch.fft, torch.special and math are available; torch.nn
 * and classes are not. Imports of torch, math and typing are ignored.
 *
 * Every function is a method of the program. An export takes "forward" by default, or the last function if none has
 * this name. Functions whose first parameter is self are methods of a module. The module's attributes are `attributes`:
 * keyword arguments, or one dict of them (tonnx_args_load reads what torch.save wrote for dict(state)). Tensors become
 * the model's weights under these names, and their storage is shared; a dot in a name separates modules
 * ("layer1.weight" is self.layer1.weight). Numbers, strings and lists are constants. self.training is false unless the
 * options say otherwise.
 *
 * file is the name of the text in messages and source locations; NULL: "source". source, file and attributes (which may
 * be NULL) are borrowed for the call. TONNX_STATUS_PROGRAM, with "FILE:LINE:COLUMN: ", if the text does not compile;
 * TONNX_STATUS_UNSUPPORTED if it uses an unknown operator; TONNX_STATUS_ARGUMENT if an attribute has no name, or a name
 * that is already used. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_compile(tonnx_program **out, const char *source,
                                                                        const char *file, const tonnx_args *attributes,
                                                                        tonnx_error **error);

/* Copies a module that lives in the caller's process. jit_module is a torch::jit::Module * of the LibTorch of the
 * process; it may have been loaded, built in code or traced. It is borrowed for the call, and must not be
 * changed or run during the call. The program is a copy of code and weights: afterwards the caller may run, train,
 * change and free the module. With share_weights the program shares the module's tensors, and the caller must not write
 * to them while the program or a model made of it lives. TONNX_STATUS_UNSUPPORTED if the module cannot be copied;
 * TONNX_STATUS_ARGUMENT if tensors to share are not on the CPU. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_from_module(tonnx_program **out, const void *jit_module,
                                                                            int32_t share_weights, tonnx_error **error);

/* Methods of the program that can be exported. The first one is the method that "forward" refers to; a trace has only
 * "forward". */
TONNX_API size_t TONNX_CALL tonnx_program_method_count(const tonnx_program *program);
TONNX_API const char *TONNX_CALL tonnx_program_method(const tonnx_program *program, size_t index);

/* Returns the unconverted program, as recorded or stored, in a new buffer. `format` is one of those of
 * tonnx_model_text, except TONNX_TEXT_FULL (TONNX_STATUS_ARGUMENT): a program is not a protobuf message. args may be
 * NULL for a trace. Otherwise fails like tonnx_program_export. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_text(tonnx_buffer **out, const tonnx_program *program,
                                                                     const tonnx_args *args,
                                                                     const tonnx_options *options,
                                                                     tonnx_text_format format, tonnx_error **error);

/* Exports a program and returns a new model. options NULL: all defaults; registry NULL: only built-in lowerings. The
 * model keeps what it needs of the program. On failure *error lists every reason. Several threads may export at the
 * same time.
 *
 * TONNX_STATUS_UNSUPPORTED if a part of the program cannot be exported; TONNX_STATUS_ARGUMENT if the arguments or the
 * options do not fit the program; TONNX_STATUS_PROGRAM if it fails on the arguments; TONNX_STATUS_CALLBACK if a
 * symbolic or the observer fails; TONNX_STATUS_CHECKER if the ONNX checker refuses the model; TONNX_STATUS_WARNING if
 * warnings are errors; TONNX_STATUS_FILE if a weight cannot be read. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_export(tonnx_model **out, const tonnx_program *program,
                                                                       const tonnx_args *args,
                                                                       const tonnx_options *options,
                                                                       const tonnx_registry *registry,
                                                                       tonnx_error **error);
/* Exports the program once for each of `count` groups of arguments (at least two), and compares each model with the
 * first one, as tonnx_model_difference does; the text names the group. A script shows more differences if it is
 * recorded (mode trace). options and registry may be NULL. Fails like tonnx_program_export. TONNX_STATUS_ARGUMENT for a
 * trace, which has its own arguments: record the code with each group, and compare the models. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_export_difference(
    tonnx_buffer **out, const tonnx_program *program, const tonnx_args *const *groups, size_t count,
    const tonnx_options *options, const tonnx_registry *registry, tonnx_error **error);

TONNX_API void TONNX_CALL tonnx_program_free(tonnx_program *program);

/* Loads a shared library that registers operators with LibTorch (TORCH_LIBRARY), for archives that use them. Affects
 * the whole process. TONNX_STATUS_FILE if it cannot be loaded. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_operators_load_library(const char *path, tonnx_error **error);
/* Registers the schema of an operator, "my_ops::foo(Tensor x, float alpha) -> Tensor". This is enough to load and
 * export an archive that uses it. Does nothing if the operator is known. Affects the whole process.
 * TONNX_STATUS_ARGUMENT if it is not a schema. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_operators_register(const char *schema, tonnx_error **error);

TONNX_END_DECLS

#endif
