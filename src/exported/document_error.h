#pragma once

#include <string>

#include "ir/error.h"

namespace tonnx::exported {

// A document of an archive contradicts itself or the rest of the archive (Code::File). The message does not name the
// file, because the readers of documents do not know it; Archive adds the name.
class DocumentError final : public ir::Error {
 public:
  explicit DocumentError(const std::string& message) : Error(ir::Code::File, message) {}
};

}  // namespace tonnx::exported
