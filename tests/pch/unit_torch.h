#ifndef TONNX_TESTS_PCH_UNIT_TORCH_H
#define TONNX_TESTS_PCH_UNIT_TORCH_H

// Precompiled for the unit tests of src/torch.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "torch/pch/torch.h"

#endif
