#pragma once

#include <memory>

#include "backend/recording.h"
#include "ir/constant.h"

namespace tonnx::torch {

using backend::Traced;
using backend::TraceOptions;

class Recording final : public backend::Recording {
 public:
  // Throws Error(Code::Argument) if this thread is already recording.
  explicit Recording(const ir::Arguments& arguments);
  ~Recording() override;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::span<void* const> inputs() const override;
  void add_output(const void* at_tensor, const std::string& name = {}) override;
  void set_attribute(const std::string& name, const void* at_tensor, bool as_output) override;
  void add_weight(const void* at_tensor, const std::string& name) override;
  void* size(const void* at_tensor, std::int64_t axis) override;
  void begin_function(const std::string& name, std::span<const void* const> inputs,
                      const std::vector<ir::NamedAttribute>& arguments) override;
  void end_function(std::span<const void* const> outputs) override;
  void abandon_function() override;
  void replace_reads(backend::Reads reads, std::size_t count) override;
  void sketch(bool rising) override;
  Traced end(const TraceOptions& options = {}) override;

 private:
  struct Run;
  std::unique_ptr<Run> run_;
};

}  // namespace tonnx::torch
