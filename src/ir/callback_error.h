#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/error.h"

namespace tonnx::ir {

// The failure of a caller's callback, with the callback's error object; null if there is none. The code is
// Code::Program if traced code fails at the sizes that tonnx chooses.
class CallbackError : public Error {
 public:
  CallbackError(const std::string& message, std::vector<Reason> reasons, std::shared_ptr<void> cause,
                Code code = Code::Callback)
      : Error(code, message, std::move(reasons)), cause_(std::move(cause)) {}

  const std::shared_ptr<void>& cause() const { return cause_; }

 private:
  std::shared_ptr<void> cause_;
};

}  // namespace tonnx::ir
