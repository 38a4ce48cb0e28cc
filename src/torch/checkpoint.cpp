#include "torch/checkpoint.h"

#include "ir/observer.h"

namespace tonnx::torch {
namespace {

constexpr backend::Host kNone = {[]() noexcept {}, [] {}, [] {}, []() noexcept { return false; },
                                 []() noexcept { return ir::Limits(); }};

std::atomic<const backend::Host*> current_host = &kNone;
thread_local const std::atomic<bool>* stop_elsewhere = nullptr;

const backend::Host& host() noexcept { return *current_host.load(std::memory_order_relaxed); }

}  // namespace

void set_host(const backend::Host* host) noexcept {
  if (host) current_host.store(host, std::memory_order_relaxed);
}

void wait_at_exit() noexcept { host().wait_at_exit(); }

void checkpoint() {
  if (stop_elsewhere && stop_elsewhere->load(std::memory_order_relaxed)) throw ir::Cancelled();
  host().step();
}

void checkpoint_while_waiting() { host().checkpoint(); }

bool is_observed() noexcept { return host().is_observed(); }

ir::Limits limits() noexcept { return host().limits(); }

RunsElsewhere::RunsElsewhere(const std::atomic<bool>& stop) noexcept { stop_elsewhere = &stop; }

RunsElsewhere::~RunsElsewhere() { stop_elsewhere = nullptr; }

}  // namespace tonnx::torch
