#ifndef TONNX_VERIFY_OPTIONS_H
#define TONNX_VERIFY_OPTIONS_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* How to compare a model with its program. Only one thread may set options at a time; tonnx_model_verify,
 * tonnx_program_find_mismatch and tonnx_file_run only read them. NULL means the defaults. */

TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_new(tonnx_verify_options **out,
                                                                           tonnx_error **error);
/* Made from options.json by scripts/options.py. */

/* Relative tolerance: |model - program| <= atol + rtol * |program|. Negative: the default. Integers are compared
 * exactly. Default: by the loosest floating dtype in the model (float16 and bfloat16 1e-2, float32 1e-3, on an
 * accelerator 1e-2, float64 1e-5). */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_set_rtol(tonnx_verify_options *options,
                                                                                double value, tonnx_error **error);

/* Absolute tolerance, added to rtol * |program|. Negative: the default. Default: by the loosest floating dtype in the
 * model (float16 and bfloat16 1e-3, float32 1e-5, on an accelerator 1e-3, float64 1e-7). */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_set_atol(tonnx_verify_options *options,
                                                                                double value, tonnx_error **error);

/* Tolerances of the results of an operator, by its name ('aten::gelu', or 'aten::add.Tensor' for one overload): outputs
 * of the model that it makes, also through views, but not through a branch or another operator; and, in a search for
 * the operators that differ, the results of each part that it makes. A negative value means rtol or atol. Lists of
 * tuples or dicts have none. A verification warns of a tolerance that no output uses. Default: none: rtol and atol for
 * all results. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_add_operator_tolerance(
    tonnx_verify_options *options, const char *name, double rtol, double atol, tonnx_error **error);

/* Share of the elements of an output that may differ by more than the tolerances, from 0 to 1. Default: 0, also if it
 * is negative: no element may differ. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_set_accepted_share(tonnx_verify_options *options,
                                                                                          double value,
                                                                                          tonnx_error **error);

/* Compare dtypes. If off, an output may have another dtype of the same kind, and its values are compared. Default:
 * 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_set_check_dtype(tonnx_verify_options *options,
                                                                                       int32_t enabled,
                                                                                       tonnx_error **error);

/* Compare shapes. If off, an output may have another shape with the same number of elements, which are compared in
 * order. Default: 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_set_check_shape(tonnx_verify_options *options,
                                                                                       int32_t enabled,
                                                                                       tonnx_error **error);

/* Execution provider of ONNX Runtime: 'cpu' or 'cuda', which needs an ONNX Runtime that has it. Empty: the CPU.
 * Default: "". */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_set_provider(tonnx_verify_options *options,
                                                                                    const char *value,
                                                                                    tonnx_error **error);

/* Shared library with custom operators for ONNX Runtime (RegisterCustomOps), which runs the model. Default: none. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL
tonnx_verify_options_add_runtime_library(tonnx_verify_options *options, const char *name, tonnx_error **error);

/* Size of a dynamic axis, by its symbol, in the second run. Default: one that tonnx chooses; for a trace, one that it
 * was run at. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_add_size(tonnx_verify_options *options,
                                                                                const char *symbol, int64_t size,
                                                                                tonnx_error **error);

/* Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one at size 1.
 * Default: 1. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_set_other_sizes(tonnx_verify_options *options,
                                                                                       int32_t enabled,
                                                                                       tonnx_error **error);

/* When searching for the operators that differ, also compare every operator alone, on LibTorch's values. This finds
 * differences that the outputs hide. Default: 0. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_set_every_operator(tonnx_verify_options *options,
                                                                                          int32_t enabled,
                                                                                          tonnx_error **error);
/* Made until here. */

/* Observes verifications, searches and runs of files with these options; NULL: none. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_verify_options_set_observer(tonnx_verify_options *options,
                                                                                    const tonnx_observer *observer,
                                                                                    tonnx_error **error);
TONNX_API void TONNX_CALL tonnx_verify_options_free(tonnx_verify_options *options);

TONNX_END_DECLS

#endif
