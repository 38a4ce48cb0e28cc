#ifndef TONNX_TESTS_PCH_UNIT_H
#define TONNX_TESTS_PCH_UNIT_H

// Precompiled for the unit tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/pch/ir.h"

#endif
