#pragma once

namespace tonnx::torch {

// The file name of a source range whose text says a place itself.
constexpr char kPlaceFile[] = "tonnx:place";

}  // namespace tonnx::torch
