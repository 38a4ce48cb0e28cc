/* tonnx exports LibTorch programs as ONNX models, without Python.
 *
 * Main calls: tonnx_program_load, tonnx_program_trace or tonnx_trace_begin, tonnx_args_new, tonnx_program_export,
 * tonnx_model_save.
 *
 *   tonnx_program *program;  tonnx_args *args;  tonnx_model *model;
 *   tonnx_error *error = NULL;
 *   if (tonnx_program_load(&program, "model.pt", &error) == TONNX_STATUS_OK && ...)
 *
 * Errors. A call that can fail returns a tonnx_status. Its last argument, a tonnx_error **, may be NULL; it receives a
 * new error object. There is no other error state. No exception leaves the library, and it prints nothing. Outputs come
 * first and are set to NULL (or 0) on entry. The comment of a call, or of the group of calls that it begins, names its
 * statuses. Besides, each call may return TONNX_STATUS_ARGUMENT for wrong use (a NULL that it does not allow, an
 * unknown constant or name, a wrong count, dtype or shape), TONNX_STATUS_MEMORY and TONNX_STATUS_INTERNAL; a call with
 * an observer or limits may return TONNX_STATUS_CANCELLED, and one that needs LibTorch TONNX_STATUS_FILE (below).
 *
 * Ownership, in four words. new: the caller frees it with the _free function of its type. borrowed: valid until the
 * event that its comment names. taken: the callee owns it from then on, also on failure. copied: the caller keeps its
 * own object. A returned const char * is borrowed from the handle that was passed. A pointer argument is read during
 * the call and not kept, unless its comment says otherwise.
 *
 * Freeing. tonnx_<noun>_free accepts NULL. Handles may be freed in any order: what a model or program needs stays
 * alive.
 *
 * Threads. Calls with a const handle may run concurrently on it; other calls need exclusive access. Different handles
 * are independent. The process may exit while other threads are in calls: exit() waits up to a second for those in
 * LibTorch, and a call on another thread then never returns: code that runs at exit must not join such a thread.
 *
 * LibTorch. The calls that need it (TorchScript archives, traces, at::Tensor, verification) use the LibTorch of the
 * process. They load one if there is none, and the backend for its version, libtonnx_torch-2.X.so. If that fails they
 * return TONNX_STATUS_FILE (class DependencyError), and the message says what is missing. A process can have one
 * LibTorch.
 *
 * Callbacks consist of function, user_data and destroy. They run on the thread of the call that received them. They
 * must not let an exception or a longjmp pass through tonnx. They may call tonnx, also to export, and may change or
 * free the registry in use; other handles that the call uses stay as they are until it returns. destroy is called once,
 * on the thread of the call that releases user_data last, from inside of that call. It may call tonnx, but must not use
 * the handle that is being freed.
 *
 * Progress, log messages and cancelling: tonnx/observer.h.
 *
 * Strings are UTF-8 and end with NUL.
 */
#ifndef TONNX_H
#define TONNX_H

#include "tonnx/args.h"
#include "tonnx/base.h"
#include "tonnx/buffer.h"
#include "tonnx/contents.h"
#include "tonnx/error.h"
#include "tonnx/graph.h"
#include "tonnx/libtorch.h"
#include "tonnx/mismatch.h"
#include "tonnx/model.h"
#include "tonnx/observer.h"
#include "tonnx/options.h"
#include "tonnx/program.h"
#include "tonnx/registry.h"
#include "tonnx/report.h"
#include "tonnx/save_options.h"
#include "tonnx/tensor.h"
#include "tonnx/trace.h"
#include "tonnx/verify_options.h"
#include "tonnx/version.h"

#endif
