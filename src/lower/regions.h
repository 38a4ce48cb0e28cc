#pragma once

#include "lower/formula.h"

// Region pooling: regions of images divided into a grid of cells, each axis separately: torchvision::roi_* and
// ps_roi_*.
namespace tonnx::lower {

// Rows of (image, left, top, right, bottom).
struct Regions {
  Value* image;                   // (regions), int64
  Term left, top, right, bottom;  // (regions, 1)
};
Regions regions_of(Op& op);

// One axis of the regions: its start and length, (regions, 1).
struct Span {
  Term first, extent;
};

// The weights of an axis's elements in the samples of every cell, (regions, cells, elements), and the number of
// samples, (regions, 1). `ratio` <= 0: as many samples as a cell covers elements.
struct Samples {
  Term weights, count;
};
Samples samples_of(Op& op, const Span& span, Value* size, std::int64_t cells, std::int64_t ratio);

// Which elements each cell contains, (regions, cells, elements), and whether it has any, or how many, (regions, cells).
struct Cells {
  Term members, count;
};
// The bounds are integers and at most `last` (rank 0).
Cells cells_of(Op& op, const Span& span, Value* size, std::int64_t cells, Term last);

Term round_from_zero(Term x);  // halves away from zero

// Every region's image, (regions, channels, height, width).
Value* images_of(Op& op, const Regions& regions);

}  // namespace tonnx::lower
