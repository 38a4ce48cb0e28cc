#include "torch/quiet.h"

#include <string>
#include <utility>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/runtime/print_handler.h>

namespace tonnx::torch {
namespace {

namespace jit = ::torch::jit;

struct Silent final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// Warning handlers of this thread: warnings are suppressed inside of tonnx's calls, except in callbacks of the host.
struct Handlers {
  int depth = 0;                        // nesting of tonnx's calls
  c10::WarningHandler* host = nullptr;  // used outside of them
  c10::WarningHandler* collector = nullptr;
  int collecting = 0;  // nesting depth from which on the collector is used

  void keep_host() {
    if (depth == 0 && !collector) host = c10::WarningUtils::get_warning_handler();
  }
  void choose() const {
    static Silent silent;
    const bool collects = collector && depth <= collecting;
    c10::WarningUtils::set_warning_handler(collects ? collector : depth > 0 ? &silent : host);
  }
};

thread_local Handlers handlers;
thread_local bool quiet = false;
jit::PrintHandler outer = nullptr;

// LibTorch has one print handler for all threads: other threads, and this one outside of tonnx, print as before.
void print(const std::string& text) {
  if (!quiet && outer) outer(text);
}

void install() {
  outer = jit::getPrintHandler();
  jit::setPrintHandler(&print);
}

}  // namespace

bool begin_quiet() noexcept {
  static const bool installed = (install(), true);
  static_cast<void>(installed);
  handlers.keep_host();
  ++handlers.depth;
  handlers.choose();
  return std::exchange(quiet, true);
}

void end_quiet(bool before) noexcept {
  quiet = before;
  --handlers.depth;
  handlers.choose();
}

void collect_warnings(void* handler) {
  handlers.keep_host();
  handlers.collector = static_cast<c10::WarningHandler*>(handler);
  handlers.collecting = handlers.depth;
  handlers.choose();
}

}  // namespace tonnx::torch
