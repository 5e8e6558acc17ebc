#include "catena/cuda/workspace_size.h"

#include <gtest/gtest.h>

#include "catena/array/core/error.h"

namespace catena::cuda {
namespace {

TEST(WorkspaceSizeTest, IsWhatWasSet) {
  const int64_t before = get_max_workspace_size();
  EXPECT_EQ(before, 1024 * 1024 * 1024);
  set_max_workspace_size(123);
  EXPECT_EQ(get_max_workspace_size(), 123);
  EXPECT_THROW(set_max_workspace_size(-1), ValueError);
  EXPECT_EQ(get_max_workspace_size(), 123);
  set_max_workspace_size(before);
}

}  // namespace
}  // namespace catena::cuda
