#ifndef TONNX_REPORT_H
#define TONNX_REPORT_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Report of an export: warnings, operators, time of each step. It belongs to its model. */

TONNX_API size_t TONNX_CALL tonnx_report_warning_count(const tonnx_report *report);
TONNX_API const char *TONNX_CALL tonnx_report_warning(const tonnx_report *report, size_t index);
/* The whole report as a JSON object, borrowed from the report. */
TONNX_API const char *TONNX_CALL tonnx_report_json(const tonnx_report *report);

/* Writes a report (tonnx_report_json of a model, tonnx_error_report of a failed export) as SARIF 2.1.0: one result for
 * each reason and each warning, one notification for each step. Rules have the ids of PyTorch's exporters (POE0002 to
 * POE0004, no_symbolic_function_for_call_function, unsupported_fx_node_analysis) if these have the same rule, and ids
 * of tonnx otherwise. The file appears complete or not at all. TONNX_STATUS_ARGUMENT if the path does not end in
 * ".sarif" or the text is not a report. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_report_save(const char *path, const char *report,
                                                                    tonnx_error **error);

TONNX_END_DECLS

#endif
