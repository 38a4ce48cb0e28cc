#pragma once

#include <memory>
#include <string>

namespace tonnx::torch {

// While it lives, no tracer records what this thread runs: neither a trace of tonnx's nor one of the caller's own.
class Untraced {
 public:
  Untraced();
  ~Untraced();
  Untraced(const Untraced&) = delete;
  Untraced& operator=(const Untraced&) = delete;

 private:
  std::shared_ptr<void> state_;  // of the tracer that waits; null: none does
};

// Between the two, recorded nodes belong to a module of this class under this attribute name (empty for the outermost).
// For use by the traced function; outside of a trace nothing happens.
void begin_trace_scope(const std::string& type, const std::string& name);
void end_trace_scope();

}  // namespace tonnx::torch
