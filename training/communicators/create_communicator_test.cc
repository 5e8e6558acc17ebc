// Communicators of a process without mpirun, which is the only rank.

#include "catena/training/communicators/create_communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/communicators/testing/contract.h"

namespace catena::training::communicators {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

TEST(CreateCommunicatorTest, NeedsNoMpirun) {
  for (const std::string kind : {"naive", "mpi", "hierarchical"}) {
    const auto communicator = create_communicator(kind);
    EXPECT_EQ(communicator->name(), kind);
    EXPECT_EQ(communicator->size(), 1);
    testing::check_collectives(*communicator);
    testing::check_models(*communicator);
  }
}

TEST(CreateCommunicatorTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(
      error_of<ValueError>([] { create_communicator("gloo"); }),
      HasSubstr("expected naive, mpi, nccl or hierarchical, got 'gloo'"));
  EXPECT_THAT(
      error_of<ValueError>(
          [] { create_communicator("mpi", {.mpi = {.intra_size = 2}}); }),
      HasSubstr("expected an intra_size that divides the number of ranks, 1"));
  EXPECT_THAT(error_of<ValueError>([] {
                create_communicator("mpi",
                                    {.bucket_policy = {{.bucket_bytes = -1}}});
              }),
              HasSubstr("bucket_bytes"));
}

TEST(CreateCommunicatorTest, NcclNeedsCuda) {
  EXPECT_THAT([] { create_communicator("nccl"); }, ::testing::Throws<Error>());
}

}  // namespace
}  // namespace catena::training::communicators
