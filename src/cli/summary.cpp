#include "cli/summary.h"

#include <array>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>  // not exported/json.h, which the command line may not include

namespace tonnx::cli {
namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

// "950", "11.7 M". The unit is chosen after rounding: 999,950 is "1.0 M".
std::string count_text(double count) {
  for (const auto& [unit, name] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")})
    if (count >= unit * 0.99995) return formatted("%.1f %s", count / unit, name);
  return formatted("%.0f", count);
}

std::string plural(const std::string& count, const char* noun) {
  return count + ' ' + noun + (count == "1" ? "" : "s");
}

// "dynamic axes batch (x:0, y:0), length (x:1)"
std::string axes_text(const nlohmann::json& axes) {
  std::string text;
  for (const auto& [size, places] : axes.items()) {
    text += (text.empty() ? "dynamic axes " : ", ") + size + " (";
    for (std::size_t i = 0; i < places.size(); ++i) text += (i ? ", " : "") + places[i].get<std::string>();
    text += ')';
  }
  return text.empty() ? "no dynamic axes" : text;
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 4> kUnits{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  // As in count_text.
  for (; bytes >= (unit == 0 ? 1023.5 : 1023.95) && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return formatted(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
}

std::string summary_text(const std::string& file, const std::string& report, double seconds, bool verified) {
  const nlohmann::json read = nlohmann::json::parse(report);
  const nlohmann::json& model = read.at("model");
  std::int64_t operators = 0;
  for (const auto& [name, count] : read.at("model_operators").items()) operators += count.get<std::int64_t>();
  return file + ": " + plural(std::to_string(operators), "operator") + ", " +
         plural(count_text(model.at("parameters").get<double>()), "parameter") + " (" +
         bytes_text(model.at("weight_bytes").get<double>()) + "), opset " +
         std::to_string(model.at("opset").get<int>()) + ", " + axes_text(model.at("dynamic_axes")) +
         formatted(", %.1f s, ", seconds) + (verified ? "verified" : "not verified");
}

}  // namespace tonnx::cli
