#pragma once

#include <memory>

#include "exported/package.h"

namespace tonnx::exported {

// The layout of today: models/NAME.json, and tensors one a record under data/weights and data/constants.
std::shared_ptr<const Package> open_model_package(std::shared_ptr<const archive::ArchiveFile> file);

}  // namespace tonnx::exported
