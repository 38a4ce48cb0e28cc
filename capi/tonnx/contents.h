#ifndef TONNX_CONTENTS_H
#define TONNX_CONTENTS_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* What a program or a model consists of: inputs, outputs, weights, operators and the graph. Const calls may run
 * concurrently. */

/* Returns the contents of a model as new contents, which keep what they need of the model. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_model_contents(tonnx_contents **out, const tonnx_model *model,
                                                                       tonnx_error **error);
/* Returns the contents of the unconverted program as new contents: those of the method that the options name, called
 * with these arguments. The dims of inputs are those of the arguments, and symbols those that the program declares.
 * args may be NULL for a trace and for a program of torch.export, options for all defaults. Fails like
 * tonnx_program_text. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_contents(tonnx_contents **out,
                                                                         const tonnx_program *program,
                                                                         const tonnx_args *args,
                                                                         const tonnx_options *options,
                                                                         tonnx_error **error);

/* Values in order, borrowed from the contents; NULL beyond the count. The getters of graph.h read them: name, kind,
 * dtype, dims, symbols, and tonnx_value_get_tensor of a weight. They cannot be used in a symbolic. Weights that are
 * inputs of the model, too (option initializers_as_inputs), are weights only; those without values (option
 * export_params) are inputs only. */
TONNX_API size_t TONNX_CALL tonnx_contents_input_count(const tonnx_contents *contents);
TONNX_API const tonnx_value *TONNX_CALL tonnx_contents_input(const tonnx_contents *contents, size_t index);
TONNX_API size_t TONNX_CALL tonnx_contents_output_count(const tonnx_contents *contents);
TONNX_API const tonnx_value *TONNX_CALL tonnx_contents_output(const tonnx_contents *contents, size_t index);
TONNX_API size_t TONNX_CALL tonnx_contents_weight_count(const tonnx_contents *contents);
TONNX_API const tonnx_value *TONNX_CALL tonnx_contents_weight(const tonnx_contents *contents, size_t index);

/* Kinds of operators, sorted by name: "aten::add.Tensor" in a program, "Conv" or "domain::Op" in a model; those of
 * branches and loop bodies, too. Borrowed from the contents. Constants are not operators of a program. */
TONNX_API size_t TONNX_CALL tonnx_contents_operator_count(const tonnx_contents *contents);
TONNX_API const char *TONNX_CALL tonnx_contents_operator(const tonnx_contents *contents, size_t index);
/* How many nodes are of this kind. */
TONNX_API size_t TONNX_CALL tonnx_contents_operator_uses(const tonnx_contents *contents, size_t index);

/* The outermost graph, borrowed from the contents, as are all nodes, values and graphs that are reached from it: by the
 * getters of graph.h and tonnx_node_input, tonnx_node_graph and similar functions. Each has one handle, so that handles
 * can be compared. They can only be read. A program is the unconverted one, with its branches and loops; constants are
 * nodes "prim::Constant". Bodies of ONNX functions are not part of the graph of a model, and calls of modules become
 * functions (option module_functions) only in its file. */
TONNX_API const tonnx_graph *TONNX_CALL tonnx_contents_graph(const tonnx_contents *contents);

TONNX_API void TONNX_CALL tonnx_contents_free(tonnx_contents *contents);

TONNX_END_DECLS

#endif
