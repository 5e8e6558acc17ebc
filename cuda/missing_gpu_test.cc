#include "catena/cuda/missing_gpu.h"

#include <gtest/gtest.h>

namespace catena::cuda {
namespace {

TEST(MissingGpuTest, WithoutADriverItSaysWhichOneIsNeeded) {
  EXPECT_EQ(explain_missing_gpu({.driver_version = 0,
                                 .runtime_version = 13000,
                                 .error = "cudaErrorInsufficientDriver"}),
            "no NVIDIA driver is loaded; this program needs one for CUDA 13.0 "
            "(cudaErrorInsufficientDriver)");
}

TEST(MissingGpuTest, AnOldDriverIsNamedWithWhatIsNeeded) {
  EXPECT_EQ(
      explain_missing_gpu({.driver_version = 12020, .runtime_version = 13010}),
      "the NVIDIA driver supports CUDA up to 12.2, this program needs 13.1: "
      "update the driver");
}

TEST(MissingGpuTest, HiddenGpusAreMentioned) {
  EXPECT_EQ(
      explain_missing_gpu({.driver_version = 13000, .runtime_version = 13010}),
      "the NVIDIA driver finds no GPU");
  EXPECT_EQ(explain_missing_gpu({.driver_version = 13000,
                                 .runtime_version = 13000,
                                 .error = "cudaErrorNoDevice",
                                 .visible_devices = "-1"}),
            "the NVIDIA driver finds no GPU among CUDA_VISIBLE_DEVICES=-1 "
            "(cudaErrorNoDevice)");
}

}  // namespace
}  // namespace catena::cuda
