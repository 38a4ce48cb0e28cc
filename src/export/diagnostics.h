#pragma once

#include <string>

namespace tonnx::exporting {

// A report's JSON text (Report::json()) as SARIF 2.1.0: a result for each reason of a failure and each warning, with
// rule, operator, module and source line, and a notification for each step that was done, with its seconds. Throws
// Error(Code::Argument) for a text that is no report.
std::string sarif(const std::string& report);

// The same as a file, which appears whole or not at all. Throws Error(Code::Argument) for a path that does not end in
// ".sarif" and Error(Code::File) where it cannot be written.
void save_diagnostics(const std::string& path, const std::string& report);

}  // namespace tonnx::exporting
