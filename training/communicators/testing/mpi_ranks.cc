// One rank of the contract of a kind of communicator, under mpirun:
//
//   mpi_ranks KIND [INTRA_SIZE]

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include "catena/training/communicators/create_communicator.h"
#include "catena/training/communicators/testing/contract.h"

namespace catena::training::communicators {
namespace {

// Set by main.
std::string kind;
CommunicatorOptions options;

class MpiRanks : public ::testing::Test {
 protected:
  std::unique_ptr<Communicator> communicator_ =
      create_communicator(kind, options);
};

TEST_F(MpiRanks, HasItsName) { EXPECT_EQ(communicator_->name(), kind); }
TEST_F(MpiRanks, Collectives) { testing::check_collectives(*communicator_); }
TEST_F(MpiRanks, Models) { testing::check_models(*communicator_); }
TEST_F(MpiRanks, BadCalls) { testing::check_bad_calls(*communicator_); }
TEST_F(MpiRanks, Training) { testing::check_training(*communicator_); }
TEST_F(MpiRanks, LossScaling) { testing::check_loss_scaling(*communicator_); }

}  // namespace
}  // namespace catena::training::communicators

int main(int argc, char** argv) {
  namespace communicators = catena::training::communicators;
  try {
    communicators::kind = argc > 1 ? argv[1] : "mpi";
    if (argc > 2) communicators::options.mpi.intra_size = std::atoi(argv[2]);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
