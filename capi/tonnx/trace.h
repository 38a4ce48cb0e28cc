#ifndef TONNX_TRACE_H
#define TONNX_TRACE_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Recording the caller's own LibTorch code. Between begin and end the operators that this thread runs on tensors
 * reached from the trace's inputs are recorded, in the caller's grad mode. A host without callbacks writes
 *
 *   tonnx_trace_begin(&trace, args, NULL, &error);
 *   do {
 *     ... run the code on tonnx_trace_input(trace, 0), ...; give its results to tonnx_trace_output
 *     tonnx_trace_next(&again, trace, &error);
 *   } while (again);
 *   tonnx_trace_end(&program, trace, &error);
 *   tonnx_trace_free(trace);
 *
 * and leaves the loop for tonnx_trace_free where the code fails: that stops the recording.
 *
 * The code runs once, on the example's inputs. If the options declare dynamic axes, it runs seven times or more: on
 * other values, at two other sizes and at 1, so that numbers which it computes from sizes follow them in every model;
 * where a number follows a size, or it reads numbers (item()), more often; then, one axis at a time, at sizes up to
 * tonnx_trace_options_set_largest_size, as long as these runs cost little beside the others: so thresholds (n > 512)
 * are found. The report and the model's metadata (tonnx.sizes) have the sizes between which the model was seen to be
 * right. The code must start from the same state each time. Where it does not run at a size or on values that tonnx has
 * chosen, tonnx_trace_fail followed by tonnx_trace_next has others chosen. Where it reads no numbers, matrix products
 * and convolutions are not computed in runs whose results nobody wants: they give numbers from -8 to 8. Where it fails
 * on those it runs once more. Exports and verifications run none of it.
 *
 * What operators do is recorded; what the host computes itself is not. A single run warns of elements that item(),
 * equal() and similar operators read and of sizes that depend on elements (nonzero().size(0)), and refuses what the
 * host writes to recorded memory and what operators compute on other threads. It cannot see that the host reads
 * elements by an accessor, data_ptr() or a copy of the memory, since LibTorch reports no such access: what the code
 * makes of them is a constant of the model, as is what it makes of sizes, of random numbers of its own, and of what it
 * keeps between calls. Runs on other values find these, and refuse them: with dynamic axes, or with
 * tonnx_trace_options_set_other_values.
 *
 * A trace belongs to the thread that began it: on another every call is refused, but tonnx_trace_free may come from
 * any; the recording then stops at the next operator of its own thread. A trace inside a trace is refused with
 * TONNX_ARGUMENT. Tensors are at::Tensor * of the LibTorch that tonnx is linked with. */

/* Begins the first run. args are the example inputs: their tensors and numbers, lists, tuples and dicts opened, are
 * copied and become the trace's inputs. options may be NULL. */
TONNX_API tonnx_status tonnx_trace_begin(tonnx_trace **out, const tonnx_args *args, const tonnx_trace_options *options,
                                         tonnx_error **error);
/* Ends a run. *again is 1 if another has begun, whose inputs are new ones: run the code once more. TONNX_UNSUPPORTED
 * where what the runs did cannot be one program: a number that follows no known arithmetic of the sizes, or another
 * path. */
TONNX_API tonnx_status tonnx_trace_next(int32_t *again, tonnx_trace *trace, tonnx_error **error);
/* The program that was recorded; ends the last run if tonnx_trace_next did not. The results it was given are kept:
 * tonnx_model_verify compares with them. Afterwards the trace can be freed alone. TONNX_ARGUMENT without a result. */
TONNX_API tonnx_status tonnx_trace_end(tonnx_program **out, tonnx_trace *trace, tonnx_error **error);
TONNX_API void tonnx_trace_free(tonnx_trace *trace);

/* Runs the caller's code: called for each run, on the thread that called tonnx_program_trace. The trace is borrowed for
 * the call. Returns 0, or anything else after tonnx_trace_fail. */
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
/* The same tensor as a new at::Tensor *, which the host deletes: for hosts that own what they wrap, as TorchSharp and
 * DJL do. TONNX_ARGUMENT if the index is out of range or no run is in progress. */
TONNX_API tonnx_status tonnx_trace_new_input(void **out, tonnx_trace *trace, size_t index, tonnx_error **error);
/* Declares a weight: where this tensor is read it becomes the named weight; what reads "a.b.weight" is of module a.b.
 * Call it in each run before it is used. One that is captured undeclared becomes "constant_N". It is borrowed for the
 * call. */
TONNX_API tonnx_status tonnx_trace_weight(tonnx_trace *trace, const char *name, const void *at_tensor,
                                          tonnx_error **error);
/* Adds a result of the program; name may be NULL. The tensor is borrowed for the call. */
TONNX_API tonnx_status tonnx_trace_output(tonnx_trace *trace, const char *name, const void *at_tensor,
                                          tonnx_error **error);
/* Operators up to the matching leave belong to the module `name` of class `type`; nests. */
TONNX_API tonnx_status tonnx_trace_enter(tonnx_trace *trace, const char *type, const char *name, tonnx_error **error);
TONNX_API tonnx_status tonnx_trace_leave(tonnx_trace *trace, tonnx_error **error);
/* A size of a recorded tensor as a recorded value: an at::Tensor * of rank 0 and dtype int64, borrowed until the run
 * ends. What tensor operators compute from it follows the size, also where the code runs once. dim below 0 counts from
 * the end. TONNX_ARGUMENT for a tensor that was not recorded or has no such axis. */
TONNX_API tonnx_status tonnx_trace_size(void **out, tonnx_trace *trace, const void *at_tensor, int64_t dim,
                                        tonnx_error **error);
/* Says why the code fails. In the first run the text, which is copied, becomes the message of the error with which the
 * trace ends; in a later one the run does not count, and another is begun at other sizes as long as there are any. */
TONNX_API void tonnx_trace_fail(tonnx_trace *trace, const char *message);

/* How a trace is made; one thread at a time. Setters copy texts, and refuse NULL with TONNX_ARGUMENT, but the symbol of
 * an axis that has one of its own. destroy(user_data), which may be NULL, is called when options and traces let go,
 * also on failure. */
TONNX_API tonnx_status tonnx_trace_options_new(tonnx_trace_options **out, tonnx_error **error);
/* Fills args, which are empty, as the example's were filled, for these sizes of `count` symbols; all borrowed for the
 * call. Returns 0, or anything else, after tonnx_args_fail_with or without, to end the trace with TONNX_CALLBACK. */
typedef int32_t (*tonnx_resize_fn)(tonnx_args *args, const char *const *symbols, const int64_t *sizes, size_t count,
                                   void *user_data);
/* Made from options.json by scripts/options.py. */

/* Weights share the memory of the tensors that were declared or captured, and nobody may write to it as long as the
 * program or a model of it lives; otherwise they are copied when the run ends. Default: 0. */
TONNX_API tonnx_status tonnx_trace_options_set_share_weights(tonnx_trace_options *options, int32_t enabled,
                                                             tonnx_error **error);

/* Run the first recording again on its inputs before it becomes a program, and refuse it where it does not give what
 * the code returned; the error names the first operator that differs. Further runs are compared with the first one.
 * Without it a trace takes the time of the code alone. Default: 1. */
TONNX_API tonnx_status tonnx_trace_options_set_replay(tonnx_trace_options *options, int32_t enabled,
                                                      tonnx_error **error);

/* An axis that is dynamic in every export, told before the code runs: it then runs at several sizes. The input is
 * counted among the tensors and numbers of the arguments; an axis below 0 counts from the end. Axes of one symbol have
 * one size; without a symbol an axis has one of its own. Default: none, and no axis can be dynamic in an export unless
 * there is a single run. */
TONNX_API tonnx_status tonnx_trace_options_add_dynamic_axis(tonnx_trace_options *options, size_t input, int64_t axis,
                                                            const char *symbol, tonnx_error **error);

/* One of the sizes to run; tonnx chooses further ones. Where the code does not run at it the trace fails. At 0 tonnx
 * runs no code that is not told to, for it may divide by the size; what the code gives there must be what the program
 * of the other runs gives. Default: those that tonnx chooses. */
TONNX_API tonnx_status tonnx_trace_options_add_size(tonnx_trace_options *options, const char *symbol, int64_t size,
                                                    tonnx_error **error);

/* A dynamic axis along which the code runs at the example's size only, or takes another path at other sizes, is fixed
 * in every export, and a warning names the axis, the size and the reason. Without it the trace is refused. Default:
 * 0. */
TONNX_API tonnx_status tonnx_trace_options_set_allow_fixed_axes(tonnx_trace_options *options, int32_t enabled,
                                                                tonnx_error **error);

/* The largest size at which tonnx runs the code by itself: first near the example, then at powers of two and numbers
 * beside them, one dynamic axis at a time, as long as these runs cost little beside the others (a large network is run
 * at fewer of them). So a threshold of the code (n > 512) is found, and the model follows it or the trace is refused,
 * naming operator and size. The smallest and the largest size that were run are in the report and in the model's
 * metadata (tonnx.sizes). An example that is larger is run at sizes near it and below. 1: near the example alone.
 * Default: 4096. */
TONNX_API tonnx_status tonnx_trace_options_set_largest_size(tonnx_trace_options *options, int32_t value,
                                                            tonnx_error **error);

/* One run, whatever the axes: numbers that the code computes from sizes stay the example's, and exports may name any
 * axis dynamic. Default: 0. */
TONNX_API tonnx_status tonnx_trace_options_set_single_run(tonnx_trace_options *options, int32_t enabled,
                                                          tonnx_error **error);

/* Run the code on other values of the same sizes as well: the example's in another order, of the other sign, and zeros;
 * where it reads numbers by item(), equal() and their like, on the example's three times more, with low, high and no
 * numbers in their place. Where it does not do the same, the trace is refused, naming operator and reads; where it runs
 * on none of these values, a warning says so. Where the code runs once, warnings name each read of a number and each
 * operator whose result's sizes depend on data (nonzero, unique): the model keeps what the code made of them. Reads by
 * an accessor or data_ptr() are found on other values only. Default: where the code runs at several sizes, but in no
 * single run. */
TONNX_API tonnx_status tonnx_trace_options_set_other_values(tonnx_trace_options *options, int32_t enabled,
                                                            tonnx_error **error);

/* Makes the inputs of the further runs: arguments like the example's, at these sizes by symbol. Default: the example's
 * elements, cut off or over again. */
TONNX_API tonnx_status tonnx_trace_options_set_resize(tonnx_trace_options *options, tonnx_resize_fn resize,
                                                      void *user_data, tonnx_destroy_fn destroy, tonnx_error **error);
/* Made until here. */
TONNX_API void tonnx_trace_options_free(tonnx_trace_options *options);

TONNX_END_DECLS

#endif
