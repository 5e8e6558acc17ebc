#include <string_view>

#include "gtest/gtest.h"

namespace {

// The build passes what its rule finds, since no program runs it.
TEST(CudaRepositoryTest, CudaPathComesFirst) {
  EXPECT_EQ(std::string_view(CATENA_CANDIDATES_WITH_CUDA_PATH),
            "/opt/cuda /usr/local/cuda");
  EXPECT_EQ(std::string_view(CATENA_CANDIDATES_WITHOUT), "/usr/local/cuda");
}

}  // namespace
