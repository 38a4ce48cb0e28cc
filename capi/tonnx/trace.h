#ifndef TONNX_TRACE_H
#define TONNX_TRACE_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Recording the caller's own LibTorch code. Between begin and end the operators that this thread runs on tensors reached
 * from the trace's inputs are recorded, in the caller's grad mode. A host without callbacks writes
 *
 *   tonnx_trace_begin(&trace, args, NULL, &error);
 *   do {
 *     ... run the code on tonnx_trace_input(trace, 0), ...; give its results to tonnx_trace_output
 *     tonnx_trace_next(&again, trace, &error);
 *   } while (again);
 *   tonnx_trace_end(&program, trace, &error);
 *   tonnx_trace_free(trace);
 *
 * and leaves the loop for tonnx_trace_free where the code fails: that stops the recording. A trace belongs to the thread that
 * began it: on another every call is refused, but tonnx_trace_free may come from any; the recording then stops at the next
 * operator of its own thread. A trace inside a trace is refused with TONNX_ARGUMENT. Tensors are at::Tensor * of the LibTorch
 * that tonnx is linked with. */

/* Begins the first run. args are the example inputs: their tensors and numbers, lists, tuples and dicts opened, are copied
 * and become the trace's inputs. options may be NULL. */
TONNX_API tonnx_status tonnx_trace_begin(tonnx_trace **out, const tonnx_args *args, const tonnx_trace_options *options,
                                         tonnx_error **error);
/* Ends a run. *again is 1 if another has begun, whose inputs are new ones: run the code once more. */
TONNX_API tonnx_status tonnx_trace_next(int32_t *again, tonnx_trace *trace, tonnx_error **error);
/* The program that was recorded; ends the last run if tonnx_trace_next did not. The results it was given are kept:
 * tonnx_model_verify compares with them. Afterwards the trace can be freed alone. TONNX_ARGUMENT without a result. */
TONNX_API tonnx_status tonnx_trace_end(tonnx_program **out, tonnx_trace *trace, tonnx_error **error);
TONNX_API void tonnx_trace_free(tonnx_trace *trace);

/* Runs the caller's code: called for each run, on the thread that called tonnx_program_trace. The trace is borrowed for the
 * call. Returns 0, or anything else after tonnx_trace_fail. */
typedef int32_t (*tonnx_trace_fn)(tonnx_trace *trace, void *user_data);

/* The loop above over a callback, with the default options. destroy(user_data) is called before this returns; it may be
 * NULL. */
TONNX_API tonnx_status tonnx_program_trace(tonnx_program **out, tonnx_trace_fn callback, void *user_data,
                                           tonnx_destroy_fn destroy, const tonnx_args *args, tonnx_error **error);
/* The same with options, which may be NULL. */
TONNX_API tonnx_status tonnx_program_trace_with(tonnx_program **out, tonnx_trace_fn callback, void *user_data,
                                                tonnx_destroy_fn destroy, const tonnx_args *args,
                                                const tonnx_trace_options *options, tonnx_error **error);

/* How many tensors and numbers the arguments hold. A number is a rank-0 tensor: int64, float32 or bool. */
TONNX_API size_t tonnx_trace_input_count(const tonnx_trace *trace);
/* An at::Tensor *, borrowed until the run ends; NULL if the index is out of range or no run is in progress. */
TONNX_API void *tonnx_trace_input(tonnx_trace *trace, size_t index);
/* The same tensor as a new at::Tensor *, which the host deletes: for hosts that own what they wrap, as TorchSharp and DJL do.
 * TONNX_ARGUMENT if the index is out of range or no run is in progress. */
TONNX_API tonnx_status tonnx_trace_new_input(void **out, tonnx_trace *trace, size_t index, tonnx_error **error);
/* Declares a weight: where this tensor is read it becomes the named weight. Call it in each run before the tensor is used.
 * A tensor that is captured undeclared becomes a weight "constant_N". The tensor is borrowed for the call. */
TONNX_API tonnx_status tonnx_trace_weight(tonnx_trace *trace, const char *name, const void *at_tensor,
                                          tonnx_error **error);
/* Adds a result of the program; name may be NULL. The tensor is borrowed for the call. */
TONNX_API tonnx_status tonnx_trace_output(tonnx_trace *trace, const char *name, const void *at_tensor,
                                          tonnx_error **error);
/* Operators up to the matching leave belong to the module `name` of class `type`; nests. */
TONNX_API tonnx_status tonnx_trace_enter(tonnx_trace *trace, const char *type, const char *name, tonnx_error **error);
TONNX_API tonnx_status tonnx_trace_leave(tonnx_trace *trace, tonnx_error **error);
/* Says why the code fails; the text is copied and becomes the message of the error with which the trace ends. */
TONNX_API void tonnx_trace_fail(tonnx_trace *trace, const char *message);

/* How a trace is made. */
TONNX_API tonnx_status tonnx_trace_options_new(tonnx_trace_options **out, tonnx_error **error);
/* Weights share the memory of the tensors that were declared or captured, and nobody may write to it as long as the program
 * or a model of it lives. Default: 0, they are copied when the run ends. */
TONNX_API tonnx_status tonnx_trace_options_set_share_weights(tonnx_trace_options *options, int32_t enabled,
                                                             tonnx_error **error);
TONNX_API void tonnx_trace_options_free(tonnx_trace_options *options);

TONNX_END_DECLS

#endif
