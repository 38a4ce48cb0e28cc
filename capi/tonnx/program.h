#ifndef TONNX_PROGRAM_H
#define TONNX_PROGRAM_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* A LibTorch program: a loaded archive, compiled source text, a module of the caller's process, or the caller's own
 * code as a trace recorded it (tonnx/trace.h). Const calls may run concurrently. */

/* A TorchScript archive (.pt) or an exported program (.pt2), told apart by content. The bytes of its weights are not
 * read now; the file must stay in place and unchanged as long as the program or a model made of it lives. */
TONNX_API tonnx_status tonnx_program_load(tonnx_program **out, const char *path, tonnx_error **error);
/* The same from memory; the bytes are copied. */
TONNX_API tonnx_status tonnx_program_load_bytes(tonnx_program **out, const void *data, size_t size,
                                                tonnx_error **error);

/* The same program with other weights, as a new handle: for an exported program (.pt2), with its own weights or saved
 * without any. `path` is a state dict: what torch.save wrote, alone or under "state_dict"; a .safetensors file; or the
 * index of several
 * (.safetensors.index.json). Its tensors are the parameters and persistent buffers by their state-dict keys; one that
 * is missing follows the weight that the program ties it to. Nothing of their bytes is read now: the file must stay as
 * it is as long as the program or a model made of it lives. TONNX_ARGUMENT for a program of another kind, TONNX_FILE if
 * the file cannot be read; that a weight is missing, unknown or of another dtype or shape is told by the calls that
 * read the program (tonnx_export, tonnx_program_text), with TONNX_ARGUMENT as well. */
TONNX_API tonnx_status tonnx_program_with_weights(tonnx_program **out, const tonnx_program *program, const char *path,
                                                  tonnx_error **error);

/* TorchScript source text, compiled in this process: functions with control flow, for a host without Python.
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
 * A parameter without a type is a Tensor. torch.NAME is LibTorch's operator aten::NAME, torch.ops.NS.NAME another
 * library's; torch's dtypes, torch.linalg, torch.fft, torch.special and math are there, torch.nn and classes are not.
 * Imports of torch, math and typing are read over. Every function is a method of the program: "forward" is what an
 * export takes by default, the last one where none is called so. Those with a parameter self, the first, are methods of
 * a module, whose attributes are `attributes`: keywords, or one dict of them (tonnx_args_load reads what torch.save
 * wrote of dict(state)). Its tensors are the model's weights under these names, and their memory is shared; a dot
 * begins a module in it ("layer1.weight" is self.layer1.weight); numbers, texts and lists are constants. self.training
 * is false unless options say otherwise.
 *
 * file names the text in messages and places; NULL: "source". source, file and attributes (which may be NULL) are
 * borrowed for the call. TONNX_PROGRAM, with "FILE:LINE:COLUMN: ", if the text does not compile; TONNX_UNSUPPORTED if
 * it uses an operator that is not known; TONNX_ARGUMENT for an attribute without a name, or with one that is taken.
 * Nothing of the text runs now. */
TONNX_API tonnx_status tonnx_program_compile(tonnx_program **out, const char *source, const char *file,
                                             const tonnx_args *attributes, tonnx_error **error);

/* A module that lives in the caller's process. jit_module is a torch::jit::Module * of the LibTorch that tonnx is
 * linked with, loaded, built in code or traced there; it is borrowed for the call, during which nobody may change or
 * run it. The program is a copy, code and weights: the caller may then run, train, change and free the module. With
 * share_weights the tensors of the module are shared instead of copied, and nobody may write to them as long as the
 * program or a model made of it lives. TONNX_UNSUPPORTED if the module cannot be copied, TONNX_ARGUMENT if tensors to
 * share lie on another device than the CPU. */
TONNX_API tonnx_status tonnx_program_from_module(tonnx_program **out, const void *jit_module, int32_t share_weights,
                                                 tonnx_error **error);

/* Methods of a program that can be exported, the one first that "forward" stands for; a trace has one, "forward". */
TONNX_API size_t tonnx_program_method_count(const tonnx_program *program);
TONNX_API const char *tonnx_program_method(const tonnx_program *program, size_t index);

/* The unconverted program's text form, as recorded or stored. New buffer. args may be NULL for a trace. */
TONNX_API tonnx_status tonnx_program_text(tonnx_buffer **out, const tonnx_program *program, const tonnx_args *args,
                                          const tonnx_options *options, tonnx_error **error);

TONNX_API void tonnx_program_free(tonnx_program *program);

/* Loads a shared library that registers operators with LibTorch (TORCH_LIBRARY), for archives that use them.
 * Process-wide. */
TONNX_API tonnx_status tonnx_operators_load_library(const char *path, tonnx_error **error);
/* Registers an operator's schema alone, "my_ops::foo(Tensor x, float alpha) -> Tensor", which is enough to load and
 * export an archive that uses it. Does nothing if the operator is known. Process-wide. */
TONNX_API tonnx_status tonnx_operators_register(const char *schema, tonnx_error **error);

TONNX_END_DECLS

#endif
