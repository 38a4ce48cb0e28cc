#ifndef TONNX_ERROR_H
#define TONNX_ERROR_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Describes why a call failed. A failing call stores a new error through its last argument; free it with
 * tonnx_error_free. The argument may be NULL. On success *error is set to NULL. Strings are UTF-8 and borrowed from the
 * error. Getters accept NULL and return TONNX_STATUS_OK, "" or 0. */

TONNX_API tonnx_status TONNX_CALL tonnx_error_status(const tonnx_error *error);
/* The whole message: at most 15 lines, without a final newline. */
TONNX_API const char *TONNX_CALL tonnx_error_message(const tonnx_error *error);
/* Name of the error class. For TONNX_STATUS_UNSUPPORTED: "UnsupportedOperatorError" if a reason names an operator, else
 * "OnnxExporterError". For other statuses: "CheckerError", "ArgumentError", "WarningError", ... With TONNX_STATUS_FILE
 * also "DependencyError" if LibTorch or ONNX Runtime is missing or too old, and "MissingKernelError" if ONNX Runtime
 * has no kernel for an operator of the model. */
TONNX_API const char *TONNX_CALL tonnx_error_class(const tonnx_error *error);

/* 1 if the class is `base` or derived from it, else 0. All classes derive from "OnnxExporterError"; "DependencyError"
 * and "MissingKernelError" derive from "FileError". 0 if one is NULL. */
TONNX_API int32_t TONNX_CALL tonnx_error_class_is(const char *class_name, const char *base);

/* Reasons why a program cannot be exported, one per operator and text; count 0 for other errors. Getters return "" or 0
 * if the index is out of range. */
TONNX_API size_t TONNX_CALL tonnx_error_reason_count(const tonnx_error *error);
TONNX_API const char *TONNX_CALL tonnx_error_reason_operator(const tonnx_error *error, size_t index);
TONNX_API const char *TONNX_CALL tonnx_error_reason_text(const tonnx_error *error, size_t index);
/* Module path ("layer1.0.conv1") and source line ("model.py:12") of the first location; "" if unknown. */
TONNX_API const char *TONNX_CALL tonnx_error_reason_module(const tonnx_error *error, size_t index);
TONNX_API const char *TONNX_CALL tonnx_error_reason_source(const tonnx_error *error, size_t index);
/* Number of locations that have this reason. */
TONNX_API int64_t TONNX_CALL tonnx_error_reason_places(const tonnx_error *error, size_t index);

/* The cause that the caller's callback passed to tonnx_graph_fail, tonnx_args_fail, tonnx_trace_fail,
 * tonnx_writer_fail or tonnx_event_fail, if it was passed with the same destroy function; else NULL. Borrowed from the
 * error. */
TONNX_API void *TONNX_CALL tonnx_error_cause(const tonnx_error *error, tonnx_destroy_fn destroy);

/* Report of the failure as JSON, in the format of tonnx_report_json, with the message as "error" and at least one
 * reason. For an export it includes everything found before the failure. */
TONNX_API const char *TONNX_CALL tonnx_error_report(const tonnx_error *error);

TONNX_API void TONNX_CALL tonnx_error_free(tonnx_error *error);

/* Constant name of a status: "ok", "unsupported", ... */
TONNX_API const char *TONNX_CALL tonnx_status_name(tonnx_status status);

TONNX_END_DECLS

#endif
