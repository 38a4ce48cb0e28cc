#ifndef TONNX_MISMATCH_H
#define TONNX_MISMATCH_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Which operators of a program give other values in ONNX Runtime than in LibTorch. Const calls may run concurrently. */

/* Exports the program and compares its model with LibTorch as tonnx_model_verify_with does. Where they differ, the
 * program as it is converted is cut into halves by the number of its operators (a branch or a loop is one; constants,
 * lists and tensors read as numbers are none), the later half the longer one; each is exported and compared on its own,
 * the later one on LibTorch's results of the earlier one; and what differs is cut again, down to single operators. What
 * the parts are called, and their places, are the program's: operator, module path and source line; in-place operators
 * stand in their functional form. Every operator is compared on its own where tonnx_verify_options_set_every_operator
 * asks for it, which finds differences that cancel or vanish before the results. options, registry and verification may
 * be NULL, args for a trace and a program of torch.export. Symbolics of the registry are called again for each part, on
 * this thread. *out is new: free it with tonnx_mismatch_free; it keeps what it needs of the others, symbolics included.
 * A difference is no failure: tonnx_mismatch_found tells. Fails as tonnx_export and tonnx_model_verify_with do, and
 * with TONNX_UNSUPPORTED where LibTorch cannot run the program operator by operator, and for a model with sequence
 * inputs. */
TONNX_API tonnx_status tonnx_find_mismatch(tonnx_mismatch **out, const tonnx_program *program, const tonnx_args *args,
                                           const tonnx_options *options, const tonnx_registry *registry,
                                           const tonnx_verify_options *verification, tonnx_error **error);

/* 1 if the model, or an operator on its own, differs; else 0. */
TONNX_API int32_t tonnx_mismatch_found(const tonnx_mismatch *mismatch);
/* The ids of the parts that differ and have no part that does, in the program's order; borrowed from the handle. */
TONNX_API size_t tonnx_mismatch_leaf_count(const tonnx_mismatch *mismatch);
TONNX_API const char *tonnx_mismatch_leaf(const tonnx_mismatch *mismatch, size_t index);
/* For people: the tree of the parts by their ids, a digit a half; those that differ and have no part that does, with
 * operator, place and difference; and these by kinds of operators. Borrowed from the handle. */
TONNX_API const char *tonnx_mismatch_text(const tonnx_mismatch *mismatch);
/* The same as a JSON object, borrowed from the handle: "differs" and "text" of the whole, "warnings" (what could not be
 * verified), "program" where the program as it is converted differs from the one that was given, "leaves" (ids),
 * "kinds" of their operators by number, and "tree", a part. A part has its "id", "state" (agrees, differs, unknown: it
 * could not be compared; unasked), number of "operators", their "kinds", its "text", and either "upper" and "lower" or
 * "places": operator, module and source of each; "not_cut" says why a part of several operators was not cut. */
TONNX_API const char *tonnx_mismatch_json(const tonnx_mismatch *mismatch);
/* Writes the part of this id ("" is the whole) as a folder of ONNX's own tests: model.onnx and, in test_data_set_0,
 * input_I.pb and output_I.pb, LibTorch's results. The folder is made; files there are replaced. Calls the symbolics
 * again. TONNX_ARGUMENT if no part of this id was compared, TONNX_FILE where a file cannot be written. */
TONNX_API tonnx_status tonnx_mismatch_save_part(const tonnx_mismatch *mismatch, const char *id, const char *folder,
                                                tonnx_error **error);

TONNX_API void tonnx_mismatch_free(tonnx_mismatch *mismatch);

TONNX_END_DECLS

#endif
