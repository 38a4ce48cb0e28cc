#ifndef TONNX_ERROR_H
#define TONNX_ERROR_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Why a call failed. A call stores a new error through its last argument (free it with tonnx_error_free), or does
 * nothing with that argument if it is NULL; on success *error is set to NULL. Strings are UTF-8, borrowed from the
 * error. Getters accept NULL and answer TONNX_OK, "" or 0. */

TONNX_API tonnx_status tonnx_error_status(const tonnx_error *error);
/* The whole message, at most 15 lines, no newline at the end. */
TONNX_API const char *tonnx_error_message(const tonnx_error *error);
/* The name of the error's class: "UnsupportedOperatorError" if a reason names an operator, else "OnnxExporterError",
 * for TONNX_UNSUPPORTED; "CheckerError", "ArgumentError", "WarningError", ... for the others; "DependencyError" if
 * LibTorch or ONNX Runtime is missing, or too old for what is asked of it, whose status is TONNX_FILE. */
TONNX_API const char *tonnx_error_class(const tonnx_error *error);

/* The reasons why a program cannot be exported, one per operator and text; 0 for other errors. An index out of range
 * answers "" or 0. */
TONNX_API size_t tonnx_error_reason_count(const tonnx_error *error);
TONNX_API const char *tonnx_error_reason_operator(const tonnx_error *error, size_t index);
TONNX_API const char *tonnx_error_reason_text(const tonnx_error *error, size_t index);
/* Module path ("layer1.0.conv1") and source line ("model.py:12") of the first place; "" if unknown. */
TONNX_API const char *tonnx_error_reason_module(const tonnx_error *error, size_t index);
TONNX_API const char *tonnx_error_reason_source(const tonnx_error *error, size_t index);
/* In how many places it was met. */
TONNX_API int64_t tonnx_error_reason_places(const tonnx_error *error, size_t index);

/* What the caller's symbolic gave to tonnx_graph_fail_with, if it came with this very destroy function; else NULL.
 * Borrowed from the error. */
TONNX_API void *tonnx_error_cause(const tonnx_error *error, tonnx_destroy_fn destroy);

/* A report of the failure, as tonnx_report_json gives it, with the message as "error" and at least one reason; of an
 * export with what it had found until then. */
TONNX_API const char *tonnx_error_report(const tonnx_error *error);

TONNX_API void tonnx_error_free(tonnx_error *error);

/* A fixed text for a status, "ok", "unsupported", ... */
TONNX_API const char *tonnx_status_name(tonnx_status status);

/* Bytes that a call hands out; may hold NUL and pass 2 GiB. A NUL byte stands after the last one. */
TONNX_API const void *tonnx_buffer_data(const tonnx_buffer *buffer);
TONNX_API size_t tonnx_buffer_size(const tonnx_buffer *buffer);
TONNX_API void tonnx_buffer_free(tonnx_buffer *buffer);

TONNX_END_DECLS

#endif
