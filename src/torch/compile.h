#pragma once

#include <memory>
#include <string>

#include "backend/archive.h"
#include "ir/constant.h"

namespace tonnx::torch {

// Implements Backend::compile.
std::shared_ptr<backend::Archive> compile(const std::string& source, const std::string& file,
                                          const ir::Arguments& attributes);

}  // namespace tonnx::torch
