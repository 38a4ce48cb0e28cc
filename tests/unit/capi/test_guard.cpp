#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "guard.h"

// Every exception of an entry point becomes a status and an error.
namespace tonnx::capi {
namespace {

struct Outcome {
  tonnx_status status;
  std::string message, class_name;
};

Outcome outcome(const std::function<void()>& body) {
  tonnx_error* error = nullptr;
  const tonnx_status status = guard(&error, body);
  EXPECT_EQ(tonnx_error_status(error), status);
  EXPECT_EQ(guard(nullptr, body), status) << "without a place for the error";
  Outcome outcome{status, tonnx_error_message(error), tonnx_error_class(error)};
  tonnx_error_free(error);
  return outcome;
}

TEST(Guard, MapsEachKindOfExceptionToItsStatus) {
  const std::pair<std::function<void()>, Outcome> kinds[] = {
      {[] {}, {TONNX_STATUS_OK, "", ""}},
      {[] { throw std::bad_alloc(); }, {TONNX_STATUS_MEMORY, "out of memory", "MemoryError"}},
      {[] { throw ir::Error(ir::Code::Memory, "no room"); }, {TONNX_STATUS_MEMORY, "no room", "MemoryError"}},
      {[] { throw ir::Error(ir::Code::Internal, "broken"); }, {TONNX_STATUS_INTERNAL, "broken", "InternalError"}},
      {[] { throw std::logic_error("other"); }, {TONNX_STATUS_INTERNAL, "other", "InternalError"}},
      {[] { throw 7; }, {TONNX_STATUS_INTERNAL, "an exception that is not a std::exception", "InternalError"}},
      {[] { throw ir::Error(ir::Code::File, "gone"); }, {TONNX_STATUS_FILE, "gone", "FileError"}},
      {[] { throw ir::Error(ir::Code::File, "a\xff.pt: gone"); }, {TONNX_STATUS_FILE, "a\\xff.pt: gone", "FileError"}},
      {[] { throw ir::Error(ir::Code::Checker, "bad"); }, {TONNX_STATUS_CHECKER, "bad", "CheckerError"}},
      {[] { throw ir::Error(ir::Code::Program, "raised"); }, {TONNX_STATUS_PROGRAM, "raised", "ProgramError"}},
      {[] { throw ir::Error(ir::Code::Verification, "off"); }, {TONNX_STATUS_VERIFICATION, "off", "VerificationError"}},
      {[] { throw ir::Error(ir::Code::Callback, "mine"); }, {TONNX_STATUS_CALLBACK, "mine", "CallbackError"}},
      {[] { refuse("wrong"); }, {TONNX_STATUS_ARGUMENT, "wrong", "ArgumentError"}},
      {[] { require(nullptr, "out"); }, {TONNX_STATUS_ARGUMENT, "argument 'out' is NULL", "ArgumentError"}},
      {[] { throw lower::Refusal("not so"); }, {TONNX_STATUS_UNSUPPORTED, "not so", "OnnxExporterError"}},
      {[] { throw ir::Error(ir::Code::Unsupported, "no", {{"aten::foo", "no", "", "", 1}}); },
       {TONNX_STATUS_UNSUPPORTED, "no", "UnsupportedOperatorError"}},
      {[] { throw ir::Error(ir::Code::Unsupported, "no", {{"", "no", "", "", 1}}); },
       {TONNX_STATUS_UNSUPPORTED, "no", "OnnxExporterError"}},
      {[] { throw ir::Error(ir::Code::Warning, "hm", {{"", "hm", "", "", 1}}); },
       {TONNX_STATUS_WARNING, "hm", "WarningError"}},
  };
  for (const auto& [body, wanted] : kinds) {
    const Outcome got = outcome(body);
    EXPECT_EQ(got.status, wanted.status) << wanted.message;
    EXPECT_EQ(got.message, wanted.message);
    EXPECT_EQ(got.class_name, wanted.class_name);
  }
}

}  // namespace
}  // namespace tonnx::capi
