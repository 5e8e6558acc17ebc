#include "catena/cuda/nccl_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using internal::load_nccl;

TEST(NcclLibraryTest, IsLoadedWhenItIsNeeded) {
  int version = 0;
  EXPECT_EQ(call_nccl<ncclGetVersion>(&version), ncclSuccess);
  EXPECT_GE(version, 21400);
}

TEST(NcclLibraryTest, SaysWhatItLookedForFoundAndNeeds) {
  EXPECT_THAT(load_nccl("libnccl_of_nobody.so.2").problem(),
              ::testing::StartsWith("NCCL: expected the library "
                                    "libnccl_of_nobody.so.2, of version "
                                    "2.14.0 or later; "));
  EXPECT_THAT(
      load_nccl(testing::runfile("cuda/testing/libold_nccl.so")).problem(),
      ::testing::StartsWith(
          "NCCL: expected version 2.14.0 or later, found 2.7.8 in "));
}

TEST(NcclLibraryTest, CallsOfAMissingLibraryAreErrors) {
  const VendorLibrary missing = load_nccl("libnccl_of_nobody.so.2");
  EXPECT_THAT(
      ::catena::testing::error_of<DeviceError>(
          [&] { missing.address("ncclAllReduce"); }),
      ::testing::HasSubstr(
          "ncclAllReduce: NCCL: expected the library libnccl_of_nobody.so.2"));
}

}  // namespace
}  // namespace catena::cuda
