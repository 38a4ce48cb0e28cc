#pragma once

namespace tonnx::torch {

// File name of a source range whose text is the location itself.
constexpr char kPlaceFile[] = "tonnx:place";

}  // namespace tonnx::torch
