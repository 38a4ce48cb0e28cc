#pragma once

#include "lower/formula.h"

// Regions of images pooled into a grid of cells, cut along each axis on its own: torchvision::roi_* and ps_roi_*.
namespace tonnx::lower {

// Rows of (image, left, top, right, bottom).
struct Regions {
  Value* image;                   // (regions), int64
  Term left, top, right, bottom;  // (regions, 1)
};
Regions regions_of(Op& op);

// One axis of the regions: where it begins and how long it is, (regions, 1).
struct Span {
  Term first, extent;
};

// How the samples of every cell weigh the elements of an axis, (regions, cells, elements), and how many samples there
// are, (regions, 1). `ratio` of 0 or less: as many as a cell covers elements.
struct Samples {
  Term weights, count;
};
Samples samples_of(Op& op, const Span& span, Value* size, std::int64_t cells, std::int64_t ratio);

// The elements of every cell, (regions, cells, elements), and whether it has any or how many, (regions, cells).
struct Cells {
  Term members, count;
};
// The bounds are whole numbers and at most `last` (rank 0).
Cells cells_of(Op& op, const Span& span, Value* size, std::int64_t cells, Term last);

Term round_from_zero(Term x);  // halves away from zero

// Every region's image, (regions, channels, height, width).
Value* images_of(Op& op, const Regions& regions);

}  // namespace tonnx::lower
