#pragma once

// Precompiled for the unit tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pch/core.h"
