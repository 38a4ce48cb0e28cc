#pragma once

#include <memory>
#include <string>

namespace tonnx::torch {

// Between the two, no tracer records what this thread runs: neither a trace of tonnx's nor one of the caller's own. The
// second gets what the first gave: the tracer that waits, null where none does.
std::shared_ptr<void> suspend_trace();
void resume_trace(std::shared_ptr<void> tracer);

// What a scope of the tracer stands for: a module of this class under this attribute name (empty for the outermost).
// LibTorch keeps one text a scope.
struct TraceScope {
  std::string type;
  std::string name;

  std::string text() const;
  static TraceScope of(const std::string& text);  // of a scope that somebody else made the text is the class
};

// Between the two, recorded nodes belong to a module of this class under this attribute name (empty for the outermost).
// For use by the traced function; outside of a trace nothing happens.
void begin_trace_scope(const std::string& type, const std::string& name);
void end_trace_scope();

}  // namespace tonnx::torch
