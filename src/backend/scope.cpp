#include "backend/scope.h"

#include <utility>

#include "backend/libtorch.h"

namespace tonnx::backend {
namespace {

thread_local Scope* innermost = nullptr;

}  // namespace

Scope::Scope(Kind kind) noexcept : kind_(kind), outer_(std::exchange(innermost, this)) {
  if (Backend* backend = loaded()) begin_all(*backend);
}

Scope::~Scope() {
  innermost = outer_;
  if (!backend_) return;
  switch (kind_) {
    case Kind::Quiet: backend_->end_quiet(quiet_before_); return;
    case Kind::Untraced: backend_->resume_trace(std::move(tracer_)); return;
  }
}

void Scope::begin_all(Backend& backend) noexcept {
  if (innermost) innermost->begin(backend);
}

void Scope::begin(Backend& backend) noexcept {
  if (backend_) return;
  if (outer_) outer_->begin(backend);
  backend_ = &backend;
  switch (kind_) {
    case Kind::Quiet: quiet_before_ = backend.begin_quiet(); return;
    case Kind::Untraced: tracer_ = backend.suspend_trace(); return;
  }
}

}  // namespace tonnx::backend
