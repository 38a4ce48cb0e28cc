#ifndef TONNX_GRAPH_H
#define TONNX_GRAPH_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Attributes of an ONNX node, read by tonnx_graph_op. Setting a name again replaces its value. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_new(tonnx_attributes **out, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_int(tonnx_attributes *attributes,
                                                                           const char *name, int64_t value,
                                                                           tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_float(tonnx_attributes *attributes,
                                                                             const char *name, double value,
                                                                             tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_string(tonnx_attributes *attributes,
                                                                              const char *name, const char *value,
                                                                              tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_tensor(tonnx_attributes *attributes,
                                                                              const char *name,
                                                                              const tonnx_tensor *value,
                                                                              tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_ints(tonnx_attributes *attributes,
                                                                            const char *name, const int64_t *values,
                                                                            size_t count, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_floats(tonnx_attributes *attributes,
                                                                              const char *name, const double *values,
                                                                              size_t count, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_strings(tonnx_attributes *attributes,
                                                                               const char *name,
                                                                               const char *const *values, size_t count,
                                                                               tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_tensors(tonnx_attributes *attributes,
                                                                               const char *name,
                                                                               const tonnx_tensor *const *values,
                                                                               size_t count, tonnx_error **error);
/* A type attribute (TypeProto): a tensor type with dims (-1: unknown). */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_type(tonnx_attributes *attributes,
                                                                            const char *name, tonnx_dtype dtype,
                                                                            const int64_t *dims, size_t rank,
                                                                            tonnx_error **error);
/* A graph attribute: a sub-graph that was added by tonnx_graph_add_subgraph. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_graph(tonnx_attributes *attributes,
                                                                             const char *name, tonnx_graph *graph,
                                                                             tonnx_error **error);
/* Sets an attribute to the content of a value, such as an argument of the operator. Only here a name has a suffix, the
 * kind of the attribute, which is not part of its name: "alpha_f" is the float attribute alpha, "dim_i" an int,
 * "mode_s" a string, "value_t" or "value_z" a tensor, "dtype_ty" the type of the value. A list makes the attribute a
 * list, "dims_i", and an empty one an empty list of the kind. NULL and None set nothing. TONNX_STATUS_ARGUMENT for
 * another suffix, and if the value is not a constant of that kind. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_attributes_set_suffixed(tonnx_attributes *attributes,
                                                                                const char *suffixed_name,
                                                                                const tonnx_value *value,
                                                                                tonnx_error **error);
TONNX_API void TONNX_CALL tonnx_attributes_free(tonnx_attributes *attributes);

/* The ONNX graph under construction, inside a symbolic. All values are borrowed from the graph until the symbolic
 * returns. */

/* Appends a node and writes its `output_count` outputs to `outputs`. `name` is an operator of the default domain
 * ("Conv") or "domain::Op". A NULL input is an omitted optional input; a constant argument used as an input becomes a
 * Constant node. attributes may be NULL and are not changed. TONNX_STATUS_ARGUMENT if ONNX does not allow the count,
 * dtypes or shapes of the inputs, or has no operator of this name at any opset; TONNX_STATUS_UNSUPPORTED if only other
 * opsets have it. An operator that no opset has is accepted if the export's option check is off. A symbolic that fails
 * because of such an error ends the export with TONNX_STATUS_CALLBACK. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_graph_op(tonnx_value **outputs, size_t output_count,
                                                                 tonnx_graph *graph, const char *name,
                                                                 tonnx_value *const *inputs, size_t input_count,
                                                                 const tonnx_attributes *attributes,
                                                                 tonnx_error **error);
/* Appends a Constant node; the tensor is shared. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_graph_constant(tonnx_value **out, tonnx_graph *graph,
                                                                       const tonnx_tensor *tensor, tonnx_error **error);
/* Appends a Cast, or returns the value itself if it is known to have this dtype. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_graph_cast(tonnx_value **out, tonnx_graph *graph,
                                                                   tonnx_value *value, tonnx_dtype dtype,
                                                                   tonnx_error **error);
/* The opset of the default domain: in a symbolic that of the export, of contents that of the model; 0 for a program. */
TONNX_API int32_t TONNX_CALL tonnx_graph_opset(const tonnx_graph *graph);
/* 1 if the export is in training mode (option training), else 0. */
TONNX_API int32_t TONNX_CALL tonnx_graph_is_training(const tonnx_graph *graph);
/* Converts another operator of LibTorch as tonnx itself does, "aten::gelu" or "aten::add.Tensor", and writes its
 * outputs. Symbolics are not called, so a symbolic may call the operator that it converts. `inputs` are the first
 * arguments of the operator's schema: tensors, lists of tensors (tonnx_graph_list) and arguments of the source
 * operator; NULL is None. `arguments`, which may be NULL, has further ones by name: ints, floats, strings, tensors and
 * lists of these; 0 and 1 are bools where the schema has a bool. Others have their default. Without an overload in the
 * name, the first one that takes the arguments is called. TONNX_STATUS_ARGUMENT if LibTorch has no such operator, if it
 * does not take the arguments, and for another number of outputs; TONNX_STATUS_UNSUPPORTED, with the reason, if tonnx
 * cannot convert it. A complex tensor, as result, has a last axis of 2; complex arguments are not supported. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_graph_call(tonnx_value **outputs, size_t output_count,
                                                                   tonnx_graph *graph, const char *name,
                                                                   tonnx_value *const *inputs, size_t input_count,
                                                                   const tonnx_attributes *arguments,
                                                                   tonnx_error **error);
/* Returns a list of tensors as an argument of tonnx_graph_call; NULL items are None. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_graph_list(tonnx_value **out, tonnx_graph *graph,
                                                                   tonnx_value *const *values, size_t count,
                                                                   tonnx_error **error);
/* Adds a sub-graph: a branch of an If ("then_branch", "else_branch"), the body of a Loop, a Scan or a SequenceMap
 * ("body"), or an attribute of any name of an operator of another domain ("my::Repeat"). Nodes are added to it by the
 * same functions as to the graph, and may use all values of the graphs around it. Its results are set by
 * tonnx_graph_set_results, once, and end it. Then it is passed to tonnx_graph_op by tonnx_attributes_set_graph, to
 * become part of one node of the graph that it was added to. Borrowed from the graph until the symbolic returns; a
 * sub-graph that is part of no node is removed then. TONNX_STATUS_ARGUMENT for each use against these rules. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_graph_add_subgraph(tonnx_graph **out, tonnx_graph *graph,
                                                                           tonnx_error **error);
/* Adds an input to a sub-graph. Its type is that which ONNX infers for the node's body; a type that is needed before,
 * inside the body, is set by tonnx_value_set_type or tonnx_value_copy_type. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_graph_add_input(tonnx_value **out, tonnx_graph *graph,
                                                                        tonnx_error **error);
/* Sets the results of the symbolic, one per output of the source node; NULL if an output has no ONNX counterpart. If
 * the only output of the node is a list of tensors, the results are its items, or one ONNX sequence. If the node has
 * several outputs, a list among them is one ONNX sequence. Sets the results of a sub-graph, which must not be NULL. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_graph_set_results(tonnx_graph *graph,
                                                                          tonnx_value *const *values, size_t count,
                                                                          tonnx_error **error);
/* Reports why the symbolic fails. The message is copied. cause is an object of the caller, such as an exception of its
 * language: tonnx_error_cause returns it. It is taken: destroy(cause) is called once, when the error is freed. destroy
 * identifies the kind of object. Both may be NULL; a cause without destroy is not kept. */
TONNX_API void TONNX_CALL tonnx_graph_fail(tonnx_graph *graph, const char *message, void *cause,
                                           tonnx_destroy_fn destroy);

/* A graph of contents (contents.h), or a block of a node in it. Everything that these getters return is borrowed from
 * the contents. They return "", 0 or NULL for a graph under construction, and beyond the count. */

/* For a block the name of its attribute, such as "then_branch" or "body"; for a model "main_graph" or similar. */
TONNX_API const char *TONNX_CALL tonnx_graph_name(const tonnx_graph *graph);
/* The node of a block, such as an If or an operator of another domain; NULL for the outermost graph. */
TONNX_API const tonnx_node *TONNX_CALL tonnx_graph_owner(const tonnx_graph *graph);
/* The nodes, in the order in which they run, without those of blocks. */
TONNX_API size_t TONNX_CALL tonnx_graph_node_count(const tonnx_graph *graph);
TONNX_API const tonnx_node *TONNX_CALL tonnx_graph_node(const tonnx_graph *graph, size_t index);
/* Weights are not among the inputs: tonnx_contents_weight. */
TONNX_API size_t TONNX_CALL tonnx_graph_input_count(const tonnx_graph *graph);
TONNX_API const tonnx_value *TONNX_CALL tonnx_graph_input(const tonnx_graph *graph, size_t index);
TONNX_API size_t TONNX_CALL tonnx_graph_output_count(const tonnx_graph *graph);
TONNX_API const tonnx_value *TONNX_CALL tonnx_graph_output(const tonnx_graph *graph, size_t index);

/* The source operator of a symbolic, until it returns, or a node of contents. Strings are borrowed from the node. */
TONNX_API const char *TONNX_CALL tonnx_node_operator(const tonnx_node *node); /* "aten::add"; of a model "Add" */
TONNX_API const char *TONNX_CALL tonnx_node_overload(const tonnx_node *node); /* "Tensor"; may be "" */
TONNX_API const char *TONNX_CALL tonnx_node_module(const tonnx_node *node);   /* "layer1.0"; may be "" */
TONNX_API const char *TONNX_CALL tonnx_node_source(const tonnx_node *node);   /* "model.py:12"; may be "" */
/* Index of the schema's argument with this name, or -1. */
TONNX_API int32_t TONNX_CALL tonnx_node_argument_index(const tonnx_node *node, const char *name);
TONNX_API const char *TONNX_CALL tonnx_node_argument_name(const tonnx_node *node, size_t index);
/* The indices of the inputs, tensors and lists of tensors before all others, as old symbolics of PyTorch expect them:
 * *count indices, borrowed from the node. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_node_get_tensors_first(const size_t **out, size_t *count,
                                                                               const tonnx_node *node,
                                                                               tonnx_error **error);
TONNX_API size_t TONNX_CALL tonnx_node_output_count(const tonnx_node *node);
/* An output; in a symbolic as LibTorch computes it: a value with dtype and shape to read, which cannot be an input of
 * an ONNX node. NULL beyond the count, as for all getters below. */
TONNX_API const tonnx_value *TONNX_CALL tonnx_node_output(const tonnx_node *node, size_t index);
/* Inputs; NULL for an omitted one. In a symbolic they are the values that it receives in `inputs`, which new nodes can
 * use. Those of contents can only be read. */
TONNX_API size_t TONNX_CALL tonnx_node_input_count(const tonnx_node *node);
TONNX_API tonnx_value *TONNX_CALL tonnx_node_input(const tonnx_node *node, size_t index);
/* Attributes, sorted by name, without graphs. An attribute is a value with kind and content to read; one of
 * TONNX_KIND_TYPE has dtype and dims instead. Floats have 32 bits, as in the file. NULL if there is no attribute
 * of this name. */
TONNX_API size_t TONNX_CALL tonnx_node_attribute_count(const tonnx_node *node);
TONNX_API const char *TONNX_CALL tonnx_node_attribute_name(const tonnx_node *node, size_t index);
TONNX_API const tonnx_value *TONNX_CALL tonnx_node_attribute(const tonnx_node *node, const char *name);
/* The blocks of a node of contents: the branches of an If, the body of a Loop, or any attributes of an operator of
 * another domain. tonnx_graph_name returns the name of the attribute. */
TONNX_API size_t TONNX_CALL tonnx_node_graph_count(const tonnx_node *node);
TONNX_API const tonnx_graph *TONNX_CALL tonnx_node_graph(const tonnx_node *node, size_t index);
/* The graph that contains a node of contents. */
TONNX_API const tonnx_graph *TONNX_CALL tonnx_node_parent(const tonnx_node *node);
/* The name of a node of a model; "" if it has none. */
TONNX_API const char *TONNX_CALL tonnx_node_name(const tonnx_node *node);

/* A value of a symbolic, a program or a model (contents.h), with the properties that hold in every run of the model.
 * Getters accept NULL. Where a comment says "until the symbolic returns", a value of contents is valid until they are
 * freed. */

/* The name of an input, output, weight or attribute, borrowed from the value; "" if it has none yet. */
TONNX_API const char *TONNX_CALL tonnx_value_name(const tonnx_value *value);
TONNX_API tonnx_kind TONNX_CALL tonnx_value_kind(const tonnx_value *value);
/* The type as in a schema, "Tensor", "int[]" or "Dict(str, Tensor)"; borrowed from the value. */
TONNX_API const char *TONNX_CALL tonnx_value_type(const tonnx_value *value);
TONNX_API tonnx_dtype TONNX_CALL tonnx_value_dtype(const tonnx_value *value); /* TONNX_DTYPE_UNDEFINED if unknown */
TONNX_API int32_t TONNX_CALL tonnx_value_has_rank(const tonnx_value *value);
TONNX_API size_t TONNX_CALL tonnx_value_rank(const tonnx_value *value); /* 0 if unknown */
/* Size of a dimension, or -1 if it is dynamic or unknown. Then the symbol ("batch") or ""; borrowed until the type of
 * the value changes or the symbolic returns. */
TONNX_API int64_t TONNX_CALL tonnx_value_dim(const tonnx_value *value, size_t axis);
TONNX_API const char *TONNX_CALL tonnx_value_dim_symbol(const tonnx_value *value, size_t axis);
/* 1 if the value is an argument or an output of the operator of a function (tonnx_trace_begin_function) and its tensor
 * required gradients when the code ran. */
TONNX_API int32_t TONNX_CALL tonnx_value_requires_grad(const tonnx_value *value);
TONNX_API int32_t TONNX_CALL tonnx_value_is_none(const tonnx_value *value);
TONNX_API int32_t TONNX_CALL tonnx_value_is_constant(const tonnx_value *value);
/* Content of a constant. TONNX_STATUS_ARGUMENT if the value is not a constant of that kind; the message has the
 * argument, its value and type, and the operator's inputs and outputs. An int can be read as a float, a bool as an int,
 * a tensor of one element as a number. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_get_int(int64_t *out, const tonnx_value *value,
                                                                      tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_get_float(double *out, const tonnx_value *value,
                                                                        tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_get_bool(int32_t *out, const tonnx_value *value,
                                                                       tonnx_error **error);
/* Borrowed until the symbolic returns. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_get_string(const char **out, const tonnx_value *value,
                                                                         tonnx_error **error);
/* A list of ints, floats or strings: *count items, borrowed until the symbolic returns. A single number can be read as
 * a list of one. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_get_ints(const int64_t **out, size_t *count,
                                                                       const tonnx_value *value, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_get_floats(const double **out, size_t *count,
                                                                         const tonnx_value *value, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_get_strings(const char *const **out, size_t *count,
                                                                          const tonnx_value *value,
                                                                          tonnx_error **error);
/* A constant tensor, a weight, or a number (of rank 0). New tensor. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_get_tensor(tonnx_tensor **out, const tonnx_value *value,
                                                                         tonnx_error **error);
/* Items of a list of tensors: *count values, borrowed until the symbolic returns. Of contents, only those of an
 * attribute are known. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_get_list(tonnx_value *const **out, size_t *count,
                                                                       const tonnx_value *value, tonnx_error **error);
/* The node that computes a value of contents; NULL for an input, a weight and an attribute, and in a symbolic. */
TONNX_API const tonnx_node *TONNX_CALL tonnx_value_producer(const tonnx_value *value);
/* The uses of a value of contents, also those in blocks, in no particular order: node and index of its input; NULL and
 * 0 beyond the count. 0 uses in a symbolic. A graph or block that returns the value uses it as an input of a node
 * "prim::Return", which is not one of its nodes; tonnx_node_parent returns the graph. */
TONNX_API size_t TONNX_CALL tonnx_value_use_count(const tonnx_value *value);
TONNX_API const tonnx_node *TONNX_CALL tonnx_value_user(const tonnx_value *value, size_t index);
TONNX_API size_t TONNX_CALL tonnx_value_use_index(const tonnx_value *value, size_t index);
/* Sets the type of a value that ONNX cannot infer, such as a result of a custom operator; later inference uses it. A
 * dim of -1 is unknown. TONNX_STATUS_ARGUMENT if the type contradicts what is known of the value. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_set_type(tonnx_value *value, tonnx_dtype dtype,
                                                                       const int64_t *dims, size_t rank,
                                                                       tonnx_error **error);
/* Same, with the type of another value, such as tonnx_node_output. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_value_copy_type(tonnx_value *value, const tonnx_value *from,
                                                                        tonnx_error **error);

TONNX_END_DECLS

#endif
