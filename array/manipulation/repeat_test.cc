#include "catena/array/manipulation/repeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/indexing/testing/index_reference.h"
#include "catena/array/manipulation/flip.h"
#include "catena/array/manipulation/pad.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

// Routines that copy each element from some position of the argument, tested
// with random shapes and layouts against that position.
namespace catena {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using catena::testing::integers_of;
using catena::testing::IsArray;
using catena::testing::random_layout;
using catena::testing::random_shape;

class RepeatTest : public catena::testing::DeviceTest {};

// result[at] == a[source(at)] for every `at`; `a` counts in C order.
template <class Source>
void expect_elements(const Array& result, const Shape& shape,
                     const Shape& result_shape, Source source) {
  ASSERT_EQ(result.shape(), result_shape);
  const std::vector<int64_t> actual = integers_of(result);
  for (int64_t i = 0; i < result.size(); ++i) {
    std::vector<int64_t> at(result_shape.ndim());
    int64_t rest = i;
    for (int axis = result_shape.ndim() - 1; axis >= 0; --axis) {
      at[axis] = rest % result_shape[axis];
      rest /= result_shape[axis];
    }
    const std::vector<int64_t> from = source(at);
    int64_t position = 0;
    for (int axis = 0; axis < shape.ndim(); ++axis) {
      position = position * shape[axis] + from[axis];
    }
    ASSERT_EQ(actual[i], position) << "element " << i << ", shape " << shape;
  }
}

TEST_P(RepeatTest, RandomRepeatsComeFromTheElementBefore) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const Shape shape = random_shape(random);
    const Array a = random_layout(shape, random);
    const int axis = static_cast<int>(random() % shape.ndim());
    const int64_t times = static_cast<int64_t>(random() % 4);
    Shape expected = shape;
    expected[axis] *= times;
    const auto source = [&](std::vector<int64_t> at) {
      at[axis] /= times;
      return at;
    };
    expect_elements(xp::repeat(a, times, axis), shape, expected, source);
    const std::vector<int64_t> list(shape[axis], times);
    expect_elements(xp::repeat(a, list, axis - shape.ndim()), shape, expected,
                    source);
  }
}

TEST_P(RepeatTest, RandomTilesStartAgain) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    const Shape shape = random_shape(random);
    const Array a = random_layout(shape, random);
    Shape reps;
    for (uint64_t n = random() % 7; n > 0; --n) {
      reps.push_back(static_cast<int64_t>(random() % 4));
    }
    const int ndim = std::max(shape.ndim(), reps.ndim());
    Shape expected = Shape::filled(ndim, 1);
    for (int k = 0; k < ndim; ++k) {
      if (k >= ndim - shape.ndim())
        expected[k] *= shape[k - ndim + shape.ndim()];
      if (k >= ndim - reps.ndim()) expected[k] *= reps[k - ndim + reps.ndim()];
    }
    const Array tiled = xp::tile(a, reps);
    expect_elements(tiled, shape, expected, [&](std::vector<int64_t> at) {
      at.erase(at.begin(), at.begin() + (ndim - shape.ndim()));
      for (int k = 0; k < shape.ndim(); ++k) at[k] %= shape[k];
      return at;
    });
    EXPECT_NE(tiled.storage(), a.storage());
  }
}

TEST_P(RepeatTest, RandomRollsGoRound) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 500; ++i) {
    const Shape shape = random_shape(random);
    const Array a = random_layout(shape, random);
    const int first = static_cast<int>(random() % shape.ndim());
    const int second = static_cast<int>(random() % shape.ndim());
    const int64_t shift = static_cast<int64_t>(random() % 15) - 7;
    const auto back = [&](std::vector<int64_t>& at, int axis, int64_t by) {
      const int64_t extent = shape[axis];
      at[axis] = ((at[axis] - by) % extent + extent) % extent;
    };
    expect_elements(xp::roll(a, shift, first), shape, shape,
                    [&](std::vector<int64_t> at) {
                      back(at, first, shift);
                      return at;
                    });
    expect_elements(xp::roll(a, Shape{shift, 2}, Axes{first, second}), shape,
                    shape, [&](std::vector<int64_t> at) {
                      back(at, first, shift);
                      back(at, second, 2);
                      return at;
                    });
    EXPECT_THAT(xp::roll(a, shift),
                IsArray(xp::roll(a.ravel(), shift, 0).reshape(shape)));
  }
}

TEST_P(RepeatTest, RandomFlipsCountFromTheEnd) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = random_shape(random);
    const Array a = random_layout(shape, random);
    Axes axes;
    for (int axis = 0; axis < shape.ndim(); ++axis) {
      if (random() % 2 == 0) axes.push_back(axis);
    }
    const Array flipped = xp::flip(a, axes);
    expect_elements(flipped, shape, shape, [&](std::vector<int64_t> at) {
      for (const int64_t axis : axes) {
        at[axis] = shape[static_cast<int>(axis)] - 1 - at[axis];
      }
      return at;
    });
    EXPECT_EQ(flipped.storage(), a.storage());
  }
}

// What stands at a place of the padded array, found by walking one step at a
// time from the array into the padding.
int64_t walk(int64_t place, int64_t extent, xp::PadMode mode) {
  int64_t at = place < 0 ? 0 : extent - 1;
  int64_t step = place < 0 ? 1 : -1;
  const int64_t count = place < 0 ? -place : place - extent + 1;
  if (mode == xp::PadMode::kEdge || extent == 1) return at;
  if (mode == xp::PadMode::kWrap) step = -step;
  if (mode == xp::PadMode::kReflect) at += step;
  if (mode == xp::PadMode::kWrap) at = place < 0 ? extent - 1 : 0;
  for (int64_t i = 1; i < count; ++i) {
    const bool leaves = at + step < 0 || at + step >= extent;
    if (!leaves) {
      at += step;
    } else if (mode == xp::PadMode::kWrap) {
      at = at == 0 ? extent - 1 : 0;
    } else {
      step = -step;
      if (mode == xp::PadMode::kReflect) at += step;
    }
  }
  return at;
}

TEST_P(RepeatTest, RandomPaddingContinuesThePattern) {
  std::mt19937_64 random(5);
  for (const xp::PadMode mode : {xp::PadMode::kEdge, xp::PadMode::kReflect,
                                 xp::PadMode::kSymmetric, xp::PadMode::kWrap}) {
    for (int i = 0; i < 200; ++i) {
      const Shape shape = random_shape(random);
      if (shape.contains(0)) continue;
      const Array a = random_layout(shape, random);
      std::vector<xp::PadWidth> widths(shape.ndim());
      Shape expected = shape;
      for (int axis = 0; axis < shape.ndim(); ++axis) {
        if (random() % 2 == 0) continue;
        widths[axis] = {static_cast<int64_t>(random() % 6),
                        static_cast<int64_t>(random() % 6)};
        expected[axis] += widths[axis].before + widths[axis].after;
      }
      const Array padded = xp::pad(a, widths, {.mode = mode});
      expect_elements(padded, shape, expected, [&](std::vector<int64_t> at) {
        for (int axis = 0; axis < shape.ndim(); ++axis) {
          const int64_t place = at[axis] - widths[axis].before;
          const bool inside = place >= 0 && place < shape[axis];
          at[axis] = inside ? place : walk(place, shape[axis], mode);
        }
        return at;
      });
    }
  }
}

TEST_P(RepeatTest, RepeatsAreCheckedFirst) {
  const Array a = xp::zeros({2, 3});
  EXPECT_THAT(error_of<ValueError>([&] { xp::repeat(a, -1); }),
              "repeat: expected repeats of at least 0, got -1");
  EXPECT_THAT(error_of<ValueError>([&] {
                (xp::repeat(a, {1, 2}, 1));
              }),
              "repeat: expected one number or 3 repeats for axis 1, got "
              "2");
  EXPECT_THROW(xp::repeat(a, 2, 2), IndexError);
  EXPECT_THROW(xp::repeat(a, int64_t{1} << 62), ShapeError);
  EXPECT_THROW(xp::tile(a, {2, -1}), ValueError);
  EXPECT_THROW(xp::tile(a, {int64_t{1} << 62}), ShapeError);
  EXPECT_THROW(xp::roll(a, 1, 2), IndexError);
  EXPECT_THROW(xp::roll(a, Shape{1, 2, 3}, Axes{0, 1}), ValueError);
}

INSTANTIATE_TEST_SUITE_P(All, RepeatTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
