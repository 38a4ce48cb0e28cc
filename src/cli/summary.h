#pragma once

#include <cstddef>
#include <string>

namespace tonnx::cli {

// "1.5 GiB"
std::string bytes_text(double bytes);

// One line about an exported model, of its report (tonnx_report_json):
// "net.onnx: 49 operators, 11.7 M parameters (44.6 MiB), opset 17, dynamic axes batch (x:0), 0.4 s, verified"
std::string summary_text(const std::string& file, const std::string& report, double seconds, bool verified);

}  // namespace tonnx::cli
