#pragma once

#include <string>

#include <gmock/gmock.h>

#include "tonnx.hpp"

// Matchers of a tonnx::Error.
namespace host {

// An error with this status and a message that `message` matches.
template <class Message>
auto is_error(tonnx_status status, Message message) {
  return testing::AllOf(testing::Property("status", &tonnx::Error::status, status),
                        testing::Property("what", &tonnx::Error::what, message));
}

// A refusal of an export: TONNX_STATUS_UNSUPPORTED, with a reason that names this operator.
template <class Message>
auto refuses_operator(const std::string& name, Message message) {
  return testing::AllOf(is_error(TONNX_STATUS_UNSUPPORTED, message),
                        testing::Property("class_name", &tonnx::Error::class_name, "UnsupportedOperatorError"),
                        testing::Property("reasons", &tonnx::Error::reasons,
                                          testing::Contains(testing::Field("op", &tonnx::Reason::op, name))));
}

}  // namespace host
