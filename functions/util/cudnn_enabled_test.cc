#include "catena/functions/util/cudnn_enabled.h"

#include <gtest/gtest.h>

#include "catena/array/core/backend.h"
#include "catena/array/core/device.h"
#include "catena/autograd/config.h"
#include "catena/functions/cudnn/presence_cudnn.h"

namespace catena::functions {
namespace {

bool has_gpu() {
  const BackendTable* cuda = backend_table(Backend::kCuda);
  return cuda != nullptr && cuda->device_count() > 0;
}

// With the library found or not, whatever this machine has.
class CudnnEnabledTest : public ::testing::Test {
 protected:
  ~CudnnEnabledTest() override { presence_cudnn = before_; }

  CudnnSlot<bool()> before_ = presence_cudnn;
};

TEST_F(CudnnEnabledTest, NeedsAGpuAndTheLibrary) {
  presence_cudnn.fill([] { return true; });
  EXPECT_EQ(cudnn_enabled(), has_gpu());
  presence_cudnn.fill([] { return false; });
  EXPECT_FALSE(cudnn_enabled());
  presence_cudnn = {};
  EXPECT_FALSE(cudnn_enabled());
}

TEST_F(CudnnEnabledTest, CanBeForbidden) {
  presence_cudnn.fill([] { return true; });
  const auto scope = using_config(&Config::use_cudnn, Usage::kNever);
  EXPECT_FALSE(cudnn_enabled());
}

}  // namespace
}  // namespace catena::functions
