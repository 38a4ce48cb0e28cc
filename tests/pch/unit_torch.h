#pragma once

// Precompiled for the unit tests of src/torch.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pch/torch.h"
