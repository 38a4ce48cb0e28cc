#pragma once

#include <memory>
#include <string>

namespace tonnx::torch {

// Between these two calls, no tracer records what this thread runs, neither tonnx's nor the caller's. Pass the result
// of the first call, the suspended tracer or null, to the second.
std::shared_ptr<void> suspend_trace();
void resume_trace(std::shared_ptr<void> tracer);

// A scope of the tracer: a module of this class and attribute name (empty for the root). LibTorch stores one string per
// scope.
struct TraceScope {
  std::string type;
  std::string name;

  std::string text() const;
  static TraceScope of(const std::string& text);  // the text of a scope from elsewhere is the class
};

// Nodes recorded between these two calls belong to a module of this class and attribute name (empty for the root).
// Called by the traced function; does nothing outside of a trace.
void begin_trace_scope(const std::string& type, const std::string& name);
void end_trace_scope();

}  // namespace tonnx::torch
