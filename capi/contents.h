#pragma once

#include <utility>
#include <vector>

#include "export/contents.h"
#include "walk.h"

struct tonnx_contents {
  // `opset`: of a model; 0 for a program.
  tonnx_contents(tonnx::exporting::Contents given, std::int32_t opset)
      : contents(std::move(given)), walk(contents.graph, opset) {
    for (const auto& entry : contents.operators) operators.push_back(&entry);
  }

  tonnx::exporting::Contents contents;
  tonnx::capi::Walk walk;
  std::vector<const std::pair<const std::string, std::int64_t>*> operators;
};
