#include "tonnx/report.h"

#include "export/diagnostics.h"
#include "guard.h"

using tonnx::capi::guard;
using tonnx::capi::require;

size_t tonnx_report_warning_count(const tonnx_report* report) { return report ? report->report.warnings.size() : 0; }

const char* tonnx_report_warning(const tonnx_report* report, size_t index) {
  return index < tonnx_report_warning_count(report) ? report->report.warnings[index].c_str() : "";
}

const char* tonnx_report_json(const tonnx_report* report) { return report ? report->json.c_str() : ""; }

tonnx_status tonnx_report_save(const char* path, const char* report, tonnx_error** error) {
  return guard(error, [&] {
    require(path, "path");
    require(report, "report");
    tonnx::exporting::save_diagnostics(path, report);
  });
}
