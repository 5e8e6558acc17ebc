#include "catena/array/io/byte_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace catena::array {
namespace {

TEST(ByteOrderTest, EachItemIsReversed) {
  for (const int64_t item_bytes : {1, 2, 4, 8}) {
    SCOPED_TRACE(item_bytes);
    // The last is large enough for several threads.
    for (const int64_t items : {0, 1, 3, 1'000'001}) {
      std::string bytes(static_cast<size_t>(items * item_bytes), '\0');
      for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(i * 7 % 251);
      }
      std::string expected = bytes;
      for (int64_t i = 0; i < items; ++i) {
        std::reverse(expected.begin() + i * item_bytes,
                     expected.begin() + (i + 1) * item_bytes);
      }
      reverse_bytes(bytes, item_bytes);
      EXPECT_TRUE(bytes == expected) << items;
    }
  }
}

}  // namespace
}  // namespace catena::array
