#include "catena/functions/connection/internal/channels_last.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::functions {
namespace {

using testing::IsArray;

// Fewer channels and places than a register or a tile has, and more.
TEST(ChannelsLastTest, ThereAndBack) {
  for (const Shape& shape :
       {Shape{2, 5, 3, 4}, Shape{64, 50, 8, 8}, Shape{1, 3, 65, 33},
        Shape{3, 20, 70}, Shape{2, 17, 2, 3, 4}, Shape{5, 33, 1, 1},
        Shape{4, 1, 5, 5}, Shape{0, 3, 4, 4}}) {
    SCOPED_TRACE(to_string(shape));
    for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16}) {
      // Whole numbers that both dtypes hold.
      const Array x =
          array::remainder(array::arange(size_of(shape), Dtype::kInt32), 251)
              .astype(dtype)
              .reshape(shape);
      const Array reordered = to_channels_last(x);
      EXPECT_EQ(reordered.strides()[1], item_size(dtype));
      EXPECT_THAT(reordered, IsArray(x));
      EXPECT_TRUE(array::is_channels_last(reordered));
      const Array back = array::empty(shape, dtype);
      from_channels_last(reordered, back);
      EXPECT_THAT(back, IsArray(x));
    }
  }
}

}  // namespace
}  // namespace catena::functions
