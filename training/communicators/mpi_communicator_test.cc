// Runs the contract under mpirun; //tests/endurance:mpi_kill_test has ranks
// that fail. This test must not initialize MPI itself, because mpirun would
// inherit that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/tests/support/runfiles.h"
#include "catena/training/communicators/testing/mpirun.h"

namespace catena::training::communicators {
namespace {

using ::catena::testing::runfile;
using ::testing::HasSubstr;

struct Case {
  std::string kind;
  int ranks;
  std::string intra_size = "0";
};

class MpiContractTest : public ::testing::TestWithParam<Case> {};

TEST_P(MpiContractTest, Holds) {
  const auto& [kind, ranks, intra_size] = GetParam();
  const auto result = testing::mpirun(
      ranks, runfile("training/communicators/mpi_ranks"), {kind, intra_size});
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("[  PASSED  ] 6 tests."));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, MpiContractTest,
    ::testing::Values(Case{"naive", 2}, Case{"naive", 4}, Case{"mpi", 1},
                      Case{"mpi", 2}, Case{"mpi", 4}, Case{"hierarchical", 2},
                      Case{"hierarchical", 4}, Case{"hierarchical", 4, "2"}));

}  // namespace
}  // namespace catena::training::communicators
