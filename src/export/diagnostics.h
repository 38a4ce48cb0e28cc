#pragma once

#include <string>

namespace tonnx::exporting {

// Converts a report's JSON text (Report::json()) to SARIF 2.1.0: one result for each reason of a failure and each
// warning, with rule, operator, module and source line; one notification for each completed step, with its seconds.
// Throws Error(Code::Argument) if the text is not a report.
std::string sarif(const std::string& report);

// Same, to a file, which appears complete or not at all. Throws Error(Code::Argument) for a path that does not end in
// ".sarif" and Error(Code::File) if it cannot be written.
void save_diagnostics(const std::string& path, const std::string& report);

}  // namespace tonnx::exporting
