#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/error.h"

namespace tonnx::ir {

// The failure of a caller's callback (Code::Callback), with the callback's error object; null if there is none.
class CallbackError : public Error {
 public:
  CallbackError(const std::string& message, std::vector<Reason> reasons, std::shared_ptr<void> cause)
      : Error(Code::Callback, message, std::move(reasons)), cause_(std::move(cause)) {}

  const std::shared_ptr<void>& cause() const { return cause_; }

 private:
  std::shared_ptr<void> cause_;
};

}  // namespace tonnx::ir
