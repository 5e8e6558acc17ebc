// What is precompiled for all tests. They include what they use as if it were
// not, but for GoogleTest, which comes first in every test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <ranges>
#include <span>
