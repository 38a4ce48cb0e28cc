#ifndef TONNX_MISMATCH_H
#define TONNX_MISMATCH_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Finds the operators whose results in ONNX Runtime differ from LibTorch's. Const calls may run concurrently. */

/* Exports the program and compares its model with LibTorch, as tonnx_model_verify does. If they differ, the
 * converted program is split in two halves by its number of operators. (A branch or a loop counts as one operator.
 * Constants, lists and tensors read as numbers do not count. The later half is the larger one.) Each half is exported
 * and compared on its own; the later half runs on LibTorch's results of the earlier half. A half that differs is split
 * again, down to single operators. Parts are named by operator, module path and source line of the program; in-place
 * operators appear in their functional form. tonnx_verify_options_set_every_operator also compares every operator on
 * its own, which finds differences that cancel or vanish before the outputs. options, registry and verification may be
 * NULL; the observer is that of the verification options, or else that of the options; args may be NULL for a trace and
 * for a program of torch.export. Symbolics of the registry are called again for each part, on this thread. *out is new:
 * free it with tonnx_mismatch_free. It keeps what it needs of the other handles, symbolics included. A difference is
 * not a failure: call tonnx_mismatch_found. Fails like tonnx_program_export and tonnx_model_verify, and with
 * TONNX_STATUS_UNSUPPORTED if LibTorch cannot run the program operator by operator or if the model has sequence inputs.
 */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_program_find_mismatch(
    tonnx_mismatch **out, const tonnx_program *program, const tonnx_args *args, const tonnx_options *options,
    const tonnx_registry *registry, const tonnx_verify_options *verification, tonnx_error **error);

/* Returns 1 if the model, or an operator on its own, differs; else 0. */
TONNX_API int32_t TONNX_CALL tonnx_mismatch_found(const tonnx_mismatch *mismatch);
/* Ids of the leaves, in program order. A leaf is a part that differs and that has no part that differs. Borrowed from
 * the handle. */
TONNX_API size_t TONNX_CALL tonnx_mismatch_leaf_count(const tonnx_mismatch *mismatch);
TONNX_API const char *TONNX_CALL tonnx_mismatch_leaf(const tonnx_mismatch *mismatch, size_t index);
/* Text for people: the tree of parts by id, one digit per half; the leaves with operator, location and difference; and
 * the leaves by kind of operator. Borrowed from the handle. */
TONNX_API const char *TONNX_CALL tonnx_mismatch_text(const tonnx_mismatch *mismatch);
/* The same as a JSON object, borrowed from the handle: "differs" and "text" of the whole, "warnings" (what could not be
 * verified), "program" if the converted program differs from the original one, "leaves" (ids), "kinds" (count of leaves
 * by kind of operator), and "tree", a part. A part has "id", "state" (agrees, differs, unknown: it could not be
 * compared, unasked), the number of "operators", their "kinds", "text", and either "upper" and "lower" or "places":
 * operator, module and source of each. "not_cut" says why a part with several operators was not split. */
TONNX_API const char *TONNX_CALL tonnx_mismatch_json(const tonnx_mismatch *mismatch);
/* Writes the part with this id ("" is the whole) as a folder in the format of ONNX's own tests: model.onnx and, in
 * test_data_set_0, input_I.pb and output_I.pb with LibTorch's results. Creates the folder; replaces existing files.
 * Calls the symbolics again. TONNX_STATUS_ARGUMENT if no part with this id was compared, TONNX_STATUS_FILE if a file
 * cannot be written. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_mismatch_save_part(const tonnx_mismatch *mismatch,
                                                                           const char *id, const char *folder,
                                                                           tonnx_error **error);

/* Returns the contents of the part with this id, which keep what they need of the mismatch: the operators that were
 * converted, with inputs and outputs where it was cut off, and the model of the part. Fails like
 * tonnx_mismatch_save_part; the second one calls the symbolics again, unless the id is "". */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_mismatch_program_contents(tonnx_contents **out,
                                                                                  const tonnx_mismatch *mismatch,
                                                                                  const char *id, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_mismatch_model_contents(tonnx_contents **out,
                                                                                const tonnx_mismatch *mismatch,
                                                                                const char *id, tonnx_error **error);

TONNX_API void TONNX_CALL tonnx_mismatch_free(tonnx_mismatch *mismatch);

TONNX_END_DECLS

#endif
