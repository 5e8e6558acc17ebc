#include "catena/tests/testing/gpu_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "catena/array/core/backend.h"
#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kVariable = "CHAINER_TEST_GPU_LIMIT";

// A limit for the scope.
class Limit {
 public:
  explicit Limit(const char* text) { ::setenv(kVariable, text, 1); }
  ~Limit() { ::unsetenv(kVariable); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
};

TEST(GpuLimitTest, IsTheLesserOfFoundAndAllowed) {
  ::unsetenv(kVariable);
  EXPECT_EQ(gpus_for_tests(3), 3);
  for (const char* none : {"", "-1", "8"}) {
    const Limit limit(none);
    EXPECT_EQ(gpus_for_tests(3), 3) << none;
  }
  const Limit limit("2");
  EXPECT_EQ(gpus_for_tests(3), 2);
  EXPECT_EQ(gpus_for_tests(1), 1);
}

TEST(GpuLimitTest, HasToBeANumber) {
  for (const char* bad : {"x", "1 GPU", "99999999999"}) {
    const Limit limit(bad);
    EXPECT_THAT(error_of<ValueError>([] { gpus_for_tests(3); }),
                HasSubstr(std::string("CHAINER_TEST_GPU_LIMIT to be a "
                                      "number of GPUs, got '") +
                          bad));
  }
}

// The fixture, without GoogleTest's loop around it.
class Fixture : public DeviceGuardedTest {
 public:
  // Whether a test on the device would be skipped.
  static bool skips(Device device) {
    ::testing::TestPartResultArray results;
    const ::testing::ScopedFakeTestPartResultReporter reporter(&results);
    Fixture fixture;
    fixture.enter(device);
    set_current_device(native_device());
    return results.size() > 0 && results.GetTestPartResult(0).skipped();
  }

 private:
  void TestBody() override {}
};

TEST(GpuLimitTest, FixturesSkipWhatNeedsMore) {
  EXPECT_FALSE(Fixture::skips(native_device()));
  const BackendTable* cuda = backend_table(Backend::kCuda);
  const bool has_gpu = cuda != nullptr && cuda->device_count() > 0;
  if (cuda != nullptr) {
    EXPECT_EQ(Fixture::skips(cuda_device()), !has_gpu);
  }
  const Limit limit("0");
  EXPECT_FALSE(Fixture::skips(native_device()));
  EXPECT_FALSE(Fixture::skips(native_device(1)));
  if (cuda != nullptr) {
    EXPECT_TRUE(Fixture::skips(cuda_device()));
  }
}

// With arrays on CUDA linked, so that the cases above have a GPU.
class UnlimitedTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, UnlimitedTest, every_device(), device_name);

TEST_P(UnlimitedTest, ArraysAreOnTheDevice) {
  EXPECT_EQ(array::zeros({2}).device(), device());
}

}  // namespace
}  // namespace catena::testing
