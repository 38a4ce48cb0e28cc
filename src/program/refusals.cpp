#include "program/refusals.h"

#include <algorithm>

#include "program/site.h"

namespace tonnx::program {

namespace {

constexpr std::size_t kLines = 12;  // reasons told in the message

std::string line_of(const ir::Reason& reason) {
  std::string text = reason.op;
  if (!reason.module.empty()) text += " in " + reason.module;
  if (!reason.source.empty()) text += " (" + reason.source + ")";
  return text + ": " + reason.text;
}

}  // namespace

void Refusals::add(const ir::Node& node, const std::string& text) { add(refusal(node, text)); }

void Refusals::add(const ir::Error& error) {
  for (const ir::Reason& reason : error.reasons()) add(reason);
  if (error.reasons().empty()) add(ir::Reason{.op = {}, .text = error.what(), .module = {}, .source = {}});
}

void Refusals::add(ir::Reason reason) {
  const auto same = std::find_if(reasons_.begin(), reasons_.end(), [&](const ir::Reason& r) {
    return r.op == reason.op && r.text == reason.text;
  });
  if (same == reasons_.end()) return reasons_.push_back(std::move(reason));
  ++same->count;
}

void Refusals::raise() const {
  if (reasons_.empty()) return;
  std::string message = "the program cannot be exported:";
  for (std::size_t i = 0; i < reasons_.size() && i < kLines; ++i) message += "\n  " + line_of(reasons_[i]);
  if (reasons_.size() > kLines) message += "\n  and " + std::to_string(reasons_.size() - kLines) + " more";
  throw ir::Error(ir::Code::Unsupported, message, reasons_);
}

}  // namespace tonnx::program
