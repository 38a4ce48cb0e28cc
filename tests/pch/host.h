#ifndef TONNX_TESTS_PCH_HOST_H
#define TONNX_TESTS_PCH_HOST_H

// Precompiled for tests that are host programs with a LibTorch of their own.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/torch.h>

#endif
