#pragma once

#include <memory>
#include <string>

namespace tonnx::torch {

// Between the two, no tracer records what this thread runs: neither a trace of tonnx's nor one of the caller's own. The
// second gets what the first gave: the tracer that waits, null where none does.
std::shared_ptr<void> suspend_trace();
void resume_trace(std::shared_ptr<void> tracer);

// How a scope of the tracer names a module of this class under this attribute name.
std::string scope_text(const std::string& type, const std::string& name);

// Between the two, recorded nodes belong to a module of this class under this attribute name (empty for the outermost).
// For use by the traced function; outside of a trace nothing happens.
void begin_trace_scope(const std::string& type, const std::string& name);
void end_trace_scope();

}  // namespace tonnx::torch
