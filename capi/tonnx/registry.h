#ifndef TONNX_REGISTRY_H
#define TONNX_REGISTRY_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Maps operators to lowerings by opset: the built-in lowerings and the caller's symbolics. A call uses the
 * registrations that the registry has when it starts; so others, and symbolics themselves, may change or free the
 * registry meanwhile.
 */

TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_registry_new(tonnx_registry **out, tonnx_error **error);

/* What a symbolic returns. */
typedef int32_t tonnx_symbolic_result;
enum {
  TONNX_SYMBOLIC_DONE = 0,    /* the results were set by tonnx_graph_set_results */
  TONNX_SYMBOLIC_DECLINE = 1, /* not handled here: the next registration is called */
  TONNX_SYMBOLIC_FAIL = 2     /* the export fails with TONNX_STATUS_CALLBACK and the message of tonnx_graph_fail */
};
/* Converts one operator of the program into ONNX nodes. `inputs` are the operator's arguments in schema order: tensors
 * are values of the graph under construction, other arguments are constants. A complex tensor, as argument or result,
 * is a real value with a last axis of 2 for the real and the imaginary part; tonnx_node_output returns the dtype of the
 * program. graph, node, inputs and every value made during the call are valid until it returns. Called on the thread
 * that exports. Called more than once for a node if LibTorch knows only the schema of the operator and its results are
 * used: the first calls, at sizes that tonnx chooses, find the types of the results. Symbolics are also called again
 * after one has declined a function of a trace (tonnx_trace_begin_function), whose operators are converted then.
 *
 * An operator whose schema says that it writes to arguments (Tensor(a!)) is converted in functional form: its symbolic
 * returns the results of the operator, then the new value of each argument that it writes to. An operator that
 * LibTorch's rules recognise as the in-place form of another one (my_ops::add_ for my_ops::add: it writes only to its
 * first argument and returns only that) is converted by the symbolic of the other one; if nothing converts the other
 * one, by its own symbolic, which returns the one result. */
typedef tonnx_symbolic_result(TONNX_CALL *tonnx_symbolic_fn)(tonnx_graph *graph, const tonnx_node *node,
                                                             tonnx_value *const *inputs, size_t input_count,
                                                             void *user_data);

/* Registers a symbolic for "domain::op" (every overload) or "domain::op.overload", for targets from opset `since` on.
 * Either name may end with a dtype, "aten::add.Tensor<float16>", or <complex>: such a symbolic is called, before the
 * one without a dtype, if the first tensor of the call has this dtype. A symbolic takes precedence over every built-in
 * lowering of that name. Among symbolics, the newest one whose opset is not above the target is called; a target below
 * 9 that has none uses the next one up to 9. If it declines, the next one is called. Registering the same name and
 * opset again replaces the symbolic. user_data is taken, also on failure: destroy(user_data) is called once, after the
 * registry and all exports that use it have released it. destroy may be NULL. TONNX_STATUS_ARGUMENT if the name is not
 * of this form. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_registry_add(tonnx_registry *registry, const char *name,
                                                                     int32_t since, tonnx_symbolic_fn symbolic,
                                                                     void *user_data, tonnx_destroy_fn destroy,
                                                                     tonnx_error **error);
/* Adds ONNX functions: one serialized FunctionProto, or one or more functions in ONNX text format. A symbolic calls one
 * by tonnx_graph_op with its domain and name ("my.domain::Selu"), also in a sub-graph; the results have the types that
 * ONNX infers from the body. Functions that the model calls, and those that they call, become part of it, once each.
 *
 * If `name` is not NULL, it is an operator as in tonnx_registry_add, and is converted to a call of the last function:
 * arguments are passed as the inputs and attributes of the same names, other tensors as the other inputs, in order. An
 * argument that the function does not have must have its default. `since` is the first target, or 0 for every target.
 *
 * Functions need opset 15. A body may import another version of the default domain than the target if its operators are
 * the same there; else an export with a call fails and says which opsets fit. The version of the function's own domain
 * is set by tonnx_options_set_custom_opset.
 *
 * TONNX_STATUS_ARGUMENT, and no function is added, if the bytes are not functions, if ONNX's checker refuses one, if a
 * function calls itself, directly or not, if another function of its domain and name is registered (the same one again
 * has no effect), and if the last one does not fit `since`. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_registry_add_functions(tonnx_registry *registry,
                                                                               const void *source, size_t size,
                                                                               const char *name, int32_t since,
                                                                               tonnx_error **error);
/* Declares the arguments of a symbolic that was registered with this name and opset: a kind for each, in the order of
 * the schema, separated by commas: "v,i,is,f".
 *   v         any value
 *   i f b s   an int, float, bool or string; an int is a float, too, and a bool an int
 *   t         a tensor or number
 *   is fs ss  a list of ints, floats or strings; a single number is a list of one
 *   none      not used
 * All but v and none must be constants, or None. Before the symbolic is called, the arguments are checked: the export
 * fails with TONNX_STATUS_CALLBACK if the operator has more arguments than kinds, or if one is of another kind. The
 * message has the argument, its value and type, and the operator's inputs and outputs. Then the getter of its kind
 * succeeds for each argument that is not None (tonnx_value_is_none). TONNX_STATUS_ARGUMENT if none is registered, and
 * for an unknown kind. Registering the symbolic again removes the declaration. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_registry_set_arguments(tonnx_registry *registry,
                                                                               const char *name, int32_t since,
                                                                               const char *kinds, tonnx_error **error);
/* Removes a symbolic, also one that calls a function; a built-in lowering of that name applies again.
 * TONNX_STATUS_ARGUMENT if there is no such symbolic. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_registry_remove(tonnx_registry *registry, const char *name,
                                                                        int32_t since, tonnx_error **error);

/* All operators that an export with this registry converts, by name, then opset: the registrations, and what tonnx
 * replaces before the conversion. Getters return "" or 0 if the index is out of range. Strings are borrowed until the
 * registry changes. */
TONNX_API size_t TONNX_CALL tonnx_registry_count(const tonnx_registry *registry);
TONNX_API const char *TONNX_CALL tonnx_registry_name(const tonnx_registry *registry, size_t index);
TONNX_API int32_t TONNX_CALL tonnx_registry_since(const tonnx_registry *registry, size_t index);
TONNX_API int32_t TONNX_CALL tonnx_registry_is_custom(const tonnx_registry *registry, size_t index);
/* How the operator is converted: "lowering", "symbolic" or "function" by a registration; "quantised" as a layer of
 * quantised tensors; "write" by the functional form of an operator that writes to its argument, such as
 * aten::add_.Tensor; "container" with a list, tuple or dict that is replaced by its items; "primitive" as the
 * operator of aten that equals one of prims, in a program of torch.export; "constant" because the result depends on
 * types only; "string" if its strings are constant, or made by str() or format() and compared or looked up. Later
 * versions may have more kinds. */
TONNX_API const char *TONNX_CALL tonnx_registry_kind(const tonnx_registry *registry, size_t index);

TONNX_API void TONNX_CALL tonnx_registry_free(tonnx_registry *registry);

TONNX_END_DECLS

#endif
