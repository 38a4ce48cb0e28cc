#ifndef TONNX_TRACE_H
#define TONNX_TRACE_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Records the caller's own LibTorch code. Between begin and end, operators that this thread runs on tensors reached
 * from the trace's inputs are recorded, in the caller's grad mode. A host without callbacks calls
 *
 *   tonnx_trace_begin(&trace, args, NULL, &error);
 *   do {
 *     ... run the code on tonnx_trace_input(trace, 0), ...; pass its results to tonnx_trace_output
 *     tonnx_trace_next(&again, trace, &error);
 *   } while (again);
 *   tonnx_trace_end(&program, trace, &error);
 *   tonnx_trace_free(trace);
 *
 * If the code fails, leave the loop and call tonnx_trace_free, which stops the recording.
 *
 * Runs. Without dynamic axes the code runs once, on the example's inputs. If the options declare dynamic axes, it runs
 * seven times or more: on other values, at two other sizes and at size 1. So numbers that the code computes from sizes
 * follow the sizes in every model. If a number follows a size, or the code reads numbers (item()), there are more runs.
 * Then each axis alone is run at sizes up to tonnx_trace_options_set_largest_size, while these runs are cheap compared
 * with the others, which finds thresholds (n > 512). The report and the model's metadata (tonnx.sizes) contain the
 * smallest and largest sizes at which the program was checked.
 *
 * The code must start from the same state in each run. If it does not run at a size or on values that tonnx chose, call
 * tonnx_trace_fail, then tonnx_trace_next: tonnx chooses others. If the code reads no numbers, runs whose results are
 * not needed skip matrix products and convolutions, which then return numbers from -8 to 8; if the code fails on those,
 * it is run once more. Exports and verifications never run the code.
 *
 * Limits. Operators are recorded; computations of the host itself are not. A single run warns about elements read by
 * item(), equal() and similar operators, about sizes that depend on elements (nonzero().size(0)), and about pointers to
 * elements (data_ptr(), an accessor, DLPack) of inputs and of values computed from them. It refuses writes of the host
 * to recorded memory, and operators that run on other threads. It cannot detect reads through pointers to const
 * elements (const_data_ptr(), an accessor of const elements, storage().data()), on a device, of a quantised tensor, in
 * a function (tonnx_trace_begin_function), or through a pointer that the host takes before the run or after the last
 * operator and output. Values that the code computes from reads, from sizes, from its own random numbers and from state
 * kept between calls are constants of the model. Runs on other values, which are made with dynamic axes or with
 * tonnx_trace_options_set_other_values, detect these and refuse them.
 *
 * During a run, memory of recorded tensors is copy-on-write, with one owner. Two threads that take the first pointer to
 * the same tensor end the process: code that starts its own threads must take pointers before it starts them. LibTorch
 * refuses data_ptr() in the body of at::parallel_for(). tonnx_trace_begin_function makes the memory ordinary until the
 * function ends.
 *
 * Threads. A trace belongs to the thread that began it; calls from other threads are refused. Only tonnx_trace_free may
 * be called from any thread; the recording then stops at the next operator of the trace's own thread. A nested trace is
 * refused with TONNX_STATUS_ARGUMENT. Tensors are at::Tensor * of the LibTorch of the process. */

/* Begins the first run. args are the example inputs: their tensors and numbers are copied and become the inputs of the
 * trace; lists, tuples and dicts are flattened. options may be NULL. TONNX_STATUS_ARGUMENT if a trace is open on this
 * thread, or if a dynamic axis does not exist. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_begin(tonnx_trace **out, const tonnx_args *args,
                                                                    const tonnx_trace_options *options,
                                                                    tonnx_error **error);
/* Ends a run. *again is 1 if another run has begun: run the code again on its inputs, which are new.
 * TONNX_STATUS_UNSUPPORTED if the runs cannot be merged into one program: a number is not a known arithmetic function
 * of the sizes, or the code took another path. TONNX_STATUS_CALLBACK after tonnx_trace_fail, and if the resize callback
 * or the observer fails; TONNX_STATUS_PROGRAM if the code runs at no other size. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_next(int32_t *again, tonnx_trace *trace,
                                                                   tonnx_error **error);
/* Returns the recorded program; ends the last run if tonnx_trace_next did not. The program keeps the results of the
 * code, which tonnx_model_verify compares with. Afterwards the trace can only be freed. TONNX_STATUS_ARGUMENT if the
 * code has no result; otherwise fails like tonnx_trace_next. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_end(tonnx_program **out, tonnx_trace *trace,
                                                                  tonnx_error **error);
TONNX_API void TONNX_CALL tonnx_trace_free(tonnx_trace *trace);

/* Runs the caller's code. Called once for each run, on the thread that called tonnx_program_trace. The trace is
 * borrowed for the call. Returns 0, or any other value after tonnx_trace_fail. */
typedef int32_t(TONNX_CALL *tonnx_trace_fn)(tonnx_trace *trace, void *user_data);

/* Runs the loop above with a callback, and fails like its calls. options may be NULL. TONNX_STATUS_CALLBACK if the
 * callback fails. destroy(user_data) is called before this returns; destroy may be NULL. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_trace(tonnx_program **out, tonnx_trace_fn callback,
                                                                      void *user_data, tonnx_destroy_fn destroy,
                                                                      const tonnx_args *args,
                                                                      const tonnx_trace_options *options,
                                                                      tonnx_error **error);

/* Number of tensors and numbers in the arguments. A number is a rank-0 tensor: int64, float32 or bool. */
TONNX_API size_t TONNX_CALL tonnx_trace_input_count(const tonnx_trace *trace);
/* An input as at::Tensor *, borrowed until the run ends; NULL if the index is out of range or no run is in progress. */
TONNX_API void *TONNX_CALL tonnx_trace_input(tonnx_trace *trace, size_t index);
/* Same, as a new at::Tensor * that the host deletes: for hosts that own every tensor they wrap, such as TorchSharp and
 * DJL. TONNX_STATUS_ARGUMENT if the index is out of range or no run is in progress. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_new_input(void **out, tonnx_trace *trace, size_t index,
                                                                        tonnx_error **error);
/* Declares a weight: reads of this tensor become reads of the named weight. Operators that read "a.b.weight" belong to
 * module a.b. Call it in each run, before the tensor is used. A captured tensor that is not declared is called
 * "constant_N". The tensor is borrowed for the call. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_weight(tonnx_trace *trace, const char *name,
                                                                     const void *at_tensor, tonnx_error **error);
/* Adds a result of the program; name may be NULL. The tensor is borrowed for the call. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_output(tonnx_trace *trace, const char *name,
                                                                     const void *at_tensor, tonnx_error **error);
/* Operators up to the matching tonnx_trace_leave belong to module `name` of class `type`. Calls may be nested. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_enter(tonnx_trace *trace, const char *type,
                                                                    const char *name, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_leave(tonnx_trace *trace, tonnx_error **error);
/* Operators up to the matching tonnx_trace_end_function are one function, such as an autograd function of PyTorch: in
 * the program they are one operator prim::PythonOp, which symbolics convert. The inputs are tensors, borrowed for the
 * call; `arguments` has the other arguments by name: ints, floats, strings, lists of ints or floats. It may be NULL. An
 * export uses the first of these that there is:
 *   1. the symbolic registered as "prim::PythonOp.NAME";
 *   2. the symbolic registered as "prim::PythonOp", for all functions;
 *   3. the recorded operators, unless the option autograd_inlining is off; so also if a symbolic declines;
 *   4. the operator itself, if operator_export_type is fallthrough or aten_fallback.
 * A symbolic receives the inputs, the arguments and, as last argument `name`, the name; tonnx_node_overload returns it,
 * too. The results of the recorded operators set the types of the outputs. Functions may be nested; a function that is
 * converted as a whole hides those in it. A name has letters, digits, _ and -, and begins with a letter; an argument
 * must not be called "name". TONNX_STATUS_ARGUMENT for other names, and for arguments of other kinds. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_begin_function(tonnx_trace *trace, const char *name,
                                                                             const void *const *at_tensors,
                                                                             size_t count,
                                                                             const tonnx_attributes *arguments,
                                                                             tonnx_error **error);
/* Ends the innermost function. Code that reads one of these tensors from now on, at least one, reads the result of the
 * function. Tensors of the recorded operators that are not outputs keep their values, also if code outside reads them.
 * TONNX_STATUS_ARGUMENT if no function is open, or a module was entered in it and not left. A run that ends while a
 * function is open fails with TONNX_STATUS_ARGUMENT. An export fails with TONNX_STATUS_UNSUPPORTED if a function has a
 * symbolic, its own or the one for all functions, and an output that shares memory with another tensor that the code
 * writes to. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_end_function(tonnx_trace *trace,
                                                                           const void *const *at_tensors, size_t count,
                                                                           tonnx_error **error);
/* Drops the innermost function, for code that fails in it and goes on: its operators stay, as if it had not been begun,
 * and modules that were entered in it are left. TONNX_STATUS_ARGUMENT if no function is open. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_abandon_function(tonnx_trace *trace, tonnx_error **error);
/* Returns the size of a recorded tensor as a recorded value: an at::Tensor * of rank 0 and dtype int64, borrowed until
 * the run ends. Results that tensor operators compute from it follow the size, even if the code runs only once. A
 * negative dim counts from the end. TONNX_STATUS_ARGUMENT if the tensor was not recorded or has no such axis. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_size(void **out, tonnx_trace *trace,
                                                                   const void *at_tensor, int64_t dim,
                                                                   tonnx_error **error);
/* Reports why the code fails; the message is copied. If the first run fails, the trace ends with this message. If a
 * later run fails, the run is dropped, and another one is begun at other sizes while there are any; if there are none,
 * the trace ends with TONNX_STATUS_PROGRAM and the cause of the last run. cause and destroy as in tonnx_graph_fail. */
TONNX_API void TONNX_CALL tonnx_trace_fail(tonnx_trace *trace, const char *message, void *cause,
                                           tonnx_destroy_fn destroy);

/* How to trace. Only one thread may use the options at a time. Setters copy strings. They return TONNX_STATUS_ARGUMENT
 * for NULL, except for the symbol of an axis that has its own symbol. destroy(user_data) is called after the options
 * and all traces have released it, also on failure; destroy may be NULL. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_new(tonnx_trace_options **out,
                                                                          tonnx_error **error);
/* Fills args, which are empty, like the example's arguments, with the given sizes of `count` symbols. All arguments are
 * borrowed for the call. Returns 0; any other value, with or without tonnx_args_fail, ends the trace with
 * TONNX_STATUS_CALLBACK. */
typedef int32_t(TONNX_CALL *tonnx_resize_fn)(tonnx_args *args, const char *const *symbols, const int64_t *sizes,
                                             size_t count, void *user_data);
/* Made from options.json by scripts/options.py. */

/* Weights share the storage of the declared or captured tensors. The caller must not write to it while the program or a
 * model of it lives. If off, weights are copied when the run ends. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_set_share_weights(tonnx_trace_options *options,
                                                                                        int32_t enabled,
                                                                                        tonnx_error **error);

/* Run the first recording again on its inputs before it becomes a program. The trace is refused if the results differ
 * from what the code returned; the error names the first operator that differs. Further runs are compared with the
 * first one. If off, a trace takes only the time of the code itself. Default: 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_set_replay(tonnx_trace_options *options,
                                                                                 int32_t enabled, tonnx_error **error);

/* An axis that is dynamic in every export, declared before the code runs, so that the code runs at several sizes. The
 * input is an index into the tensors and numbers of the arguments. Negative axes count from the end. Axes with the same
 * symbol have the same size; an axis without a symbol has its own. Default: none; an export can then have dynamic axes
 * only with single_run. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_add_dynamic_axis(tonnx_trace_options *options,
                                                                                       size_t input, int64_t axis,
                                                                                       const char *symbol,
                                                                                       tonnx_error **error);

/* A size to run the code at, in addition to those that tonnx chooses. The trace fails if the code does not run at it.
 * Size 0 is run only if it is specified here, since the code may divide by the size; the results must equal those of
 * the program recorded by the other runs. Default: only the sizes that tonnx chooses. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_add_size(tonnx_trace_options *options,
                                                                               const char *symbol, int64_t size,
                                                                               tonnx_error **error);

/* If the code runs only at the example's size of a dynamic axis, or takes another path at other sizes, fix this axis in
 * every export, and warn with the axis, the size and the reason. If off, the trace is refused. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_set_allow_fixed_axes(tonnx_trace_options *options,
                                                                                           int32_t enabled,
                                                                                           tonnx_error **error);

/* The largest size at which tonnx runs the code on its own: first near the example, then at powers of two and sizes
 * next to them, one dynamic axis at a time, while these runs are cheap compared with the others (large networks are run
 * at fewer sizes). This finds thresholds in the code (n > 512): the model follows them, or the trace is refused and the
 * error names the operator and the size. The smallest and largest size that were run are in the report and in the
 * model's metadata (tonnx.sizes). If the example is larger, sizes near it and below are run. 1: only sizes near the
 * example. Default: 4096. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_set_largest_size(tonnx_trace_options *options,
                                                                                       int32_t value,
                                                                                       tonnx_error **error);

/* Run the code once, even with dynamic axes. Numbers that the code computes from sizes are then constants of the model,
 * and exports may declare any axis dynamic. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_set_single_run(tonnx_trace_options *options,
                                                                                     int32_t enabled,
                                                                                     tonnx_error **error);

/* Also run the code on other values of the same sizes: the example's values in another order, negated, and zeros; if
 * the code reads numbers by item(), equal() or similar operators, also three variants of the example with low, high and
 * no numbers in their place. The trace is refused if the code behaves differently; the error names the operator and the
 * reads. A warning is reported if the code runs on none of these values. If the code is run only once, warnings name
 * each read of a number, each value to whose elements the code took a pointer (data_ptr(), an accessor, DLPack), and
 * each operator whose output sizes depend on data (nonzero, unique), since the model keeps what the code computed from
 * them. Reads through pointers to const elements (const_data_ptr()) are found only by this option. Default: on if the
 * code runs at several sizes and single_run is off. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_set_other_values(tonnx_trace_options *options,
                                                                                       int32_t enabled,
                                                                                       tonnx_error **error);

/* Creates the inputs of further runs: arguments like the example's, with the given size of each symbol. Default: the
 * example's elements, cut off or repeated. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_set_resize(tonnx_trace_options *options,
                                                                                 tonnx_resize_fn resize,
                                                                                 void *user_data,
                                                                                 tonnx_destroy_fn destroy,
                                                                                 tonnx_error **error);
/* Made until here. */

/* Observes traces with these options; NULL: none. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_trace_options_set_observer(tonnx_trace_options *options,
                                                                                   const tonnx_observer *observer,
                                                                                   tonnx_error **error);
TONNX_API void TONNX_CALL tonnx_trace_options_free(tonnx_trace_options *options);

TONNX_END_DECLS

#endif
