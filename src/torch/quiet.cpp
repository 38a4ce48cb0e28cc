#include "torch/quiet.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/runtime/print_handler.h>

#include <string>
#include <utility>

namespace tonnx::torch {
namespace {

namespace jit = ::torch::jit;

struct Silent final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

thread_local bool printing = true;
jit::PrintHandler outer = nullptr;

// LibTorch has one print handler for all threads: other threads, and this one outside of tonnx, print as before.
void print(const std::string& text) {
  if (printing && outer) outer(text);
}

void install() {
  outer = jit::getPrintHandler();
  jit::setPrintHandler(&print);
}

}  // namespace

Quiet::Quiet() noexcept : handler_(c10::WarningUtils::get_warning_handler()) {
  static Silent silent;
  static const bool installed = (install(), true);
  static_cast<void>(installed);
  c10::WarningUtils::set_warning_handler(&silent);
  printing_ = std::exchange(printing, false);
}

Quiet::~Quiet() {
  printing = printing_;
  c10::WarningUtils::set_warning_handler(static_cast<c10::WarningHandler*>(handler_));
}

}  // namespace tonnx::torch
