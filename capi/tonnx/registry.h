#ifndef TONNX_REGISTRY_H
#define TONNX_REGISTRY_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Which lowering serves which operator at which opset: the built-in ones and the caller's symbolics. An export reads
 * the registry; registering is exclusive. */

TONNX_API tonnx_status tonnx_registry_new(tonnx_registry **out, tonnx_error **error);

enum {
  TONNX_SYMBOLIC_DONE = 0,    /* results were given with tonnx_graph_return */
  TONNX_SYMBOLIC_DECLINE = 1, /* "not me": the next registration is asked */
  TONNX_SYMBOLIC_FAIL = 2     /* the export fails with TONNX_CALLBACK and the text given to tonnx_graph_fail */
};
/* Turns one operator of the program into ONNX nodes. `inputs` are the operator's arguments in schema order: tensors as
 * values of the graph under construction, other arguments as constants. A complex tensor is a real value with a last
 * axis of 2, for the real and the imaginary part, as argument and as result; tonnx_node_output tells the program's own
 * dtype. graph, node, inputs and every value made during the call are valid until it returns. Called on the thread that
 * exports, and more than once for a node whose operator LibTorch knows by its schema alone and whose results others
 * read: the first calls, at sizes of tonnx's choosing, tell the results' type.
 *
 * An operator that writes to its arguments by its schema's marks (Tensor(a!)) is converted as one that writes to none:
 * its symbolic gives what the operator returns and then, argument by argument, what is in those that it writes to
 * afterwards. One that LibTorch's rules name as the writing form of another (my_ops::add_ of my_ops::add: it writes to
 * its first argument alone and returns nothing else) is converted by the other's symbolic. */
typedef int32_t (*tonnx_symbolic_fn)(tonnx_graph *graph, const tonnx_node *node, tonnx_value *const *inputs,
                                     size_t input_count, void *user_data);

/* Registers a symbolic for "domain::op" (every overload) or "domain::op.overload", for targets from opset `since` on.
 * Either name may end with a dtype, "aten::add.Tensor<float16>", or <complex>: such a symbolic serves calls whose first
 * tensor has it, and is asked before the one without. It wins over every built-in of that name; among symbolics the
 * newest not above the target wins (a target below 9 for which there is none looks upward to 9), and one that declines
 * leaves the call to the next. Registering the same name and opset again replaces. user_data is taken, also on failure:
 * destroy(user_data) runs once when the registry and all exports that use it have let go. destroy may be NULL. */
TONNX_API tonnx_status tonnx_registry_add(tonnx_registry *registry, const char *name, int32_t since,
                                          tonnx_symbolic_fn symbolic, void *user_data, tonnx_destroy_fn destroy,
                                          tonnx_error **error);
/* Removes a symbolic; a built-in of that name is in force again. TONNX_ARGUMENT if there is none. */
TONNX_API tonnx_status tonnx_registry_remove(tonnx_registry *registry, const char *name, int32_t since,
                                             tonnx_error **error);

/* Every registration, by name, then opset. An index out of range answers "" or 0; the strings are borrowed until the
 * registry changes. */
TONNX_API size_t tonnx_registry_count(const tonnx_registry *registry);
TONNX_API const char *tonnx_registry_name(const tonnx_registry *registry, size_t index);
TONNX_API int32_t tonnx_registry_since(const tonnx_registry *registry, size_t index);
TONNX_API int32_t tonnx_registry_is_custom(const tonnx_registry *registry, size_t index);

TONNX_API void tonnx_registry_free(tonnx_registry *registry);

TONNX_END_DECLS

#endif
