/* tonnx: LibTorch programs as ONNX models, without Python.
 *
 * The road: tonnx_program_load, tonnx_program_trace or tonnx_trace_begin, tonnx_args_new, tonnx_export,
 * tonnx_model_save.
 *
 *   tonnx_program *program;  tonnx_args *args;  tonnx_model *model;
 *   tonnx_error *error = NULL;
 *   if (tonnx_program_load(&program, "model.pt", &error) == TONNX_OK && ...)
 *
 * Errors. A call that can fail returns a tonnx_status and takes a last, optional tonnx_error ** that receives a new
 * error object. There is no other error state. No exception leaves the library, and it prints nothing. Outputs come
 * first and are set to NULL (or 0) on entry. Ownership, in four words. new: the caller frees it with the noun's _free.
 * borrowed: valid until what is named. taken: the callee owns it from then on, also on failure. copied: the caller
 * keeps its own. A const char * answer is borrowed from the handle that was asked; a pointer argument is read during
 * the call and not kept unless its line says so. Freeing. tonnx_<noun>_free accepts NULL, and handles may be freed in
 * any order: what a model or program needs lives on. Threads. Calls with a const handle may run concurrently on it;
 * other calls are exclusive. Different handles are independent. Let no call run while the process exits: LibTorch's
 * destructors do not wait for it. LibTorch. The calls that need it (TorchScript archives, traces, tensors of its own,
 * verification) load libtonnx_torch.so, and with it the LibTorch of the process, or else its own. Where that fails they
 * return TONNX_FILE and say what is missing. Callbacks are function, user_data, destroy. They run on the thread of the
 * call that they were given to, and must not let an exception or a longjmp pass through tonnx. Strings are UTF-8 and
 * end with NUL.
 */
#ifndef TONNX_H
#define TONNX_H

#include "tonnx/args.h"
#include "tonnx/base.h"
#include "tonnx/error.h"
#include "tonnx/graph.h"
#include "tonnx/mismatch.h"
#include "tonnx/model.h"
#include "tonnx/options.h"
#include "tonnx/program.h"
#include "tonnx/registry.h"
#include "tonnx/tensor.h"
#include "tonnx/trace.h"
#include "tonnx/version.h"

#endif
