#pragma once

#include <memory>

#include "exported/package.h"

namespace tonnx::exported {

// Opens today's layout: models/NAME.json, and one record per tensor under data/weights and data/constants.
std::shared_ptr<const Package> open_model_package(std::shared_ptr<const archive::ArchiveFile> file);

}  // namespace tonnx::exported
