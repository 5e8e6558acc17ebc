// Runs the contract, and training runs in which a rank fails, under mpirun.
// This test must not initialize MPI itself, because mpirun would inherit that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catena/tests/support/runfiles.h"
#include "catena/training/communicators/testing/mpirun.h"

namespace catena::training::communicators {
namespace {

using ::catena::testing::runfile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

testing::RunResult run(int ranks, const std::vector<std::string>& arguments) {
  return testing::mpirun(ranks, runfile("training/communicators/mpi_ranks"),
                         arguments);
}

struct Case {
  std::string kind;
  int ranks;
  std::string intra_size = "0";
};

class MpiContractTest : public ::testing::TestWithParam<Case> {};

TEST_P(MpiContractTest, Holds) {
  const auto& [kind, ranks, intra_size] = GetParam();
  const auto result = run(ranks, {"contract", kind, intra_size});
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("[  PASSED  ] 6 tests."));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, MpiContractTest,
    ::testing::Values(Case{"naive", 2}, Case{"naive", 4}, Case{"mpi", 1},
                      Case{"mpi", 2}, Case{"mpi", 4}, Case{"hierarchical", 2},
                      Case{"hierarchical", 4}, Case{"hierarchical", 4, "2"}));

TEST(MpiFailureTest, ATrainingGoesToItsEnd) {
  const auto result = run(2, {"nothing"});
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("trained to the end"));
}

TEST(MpiFailureTest, ARankThatIsKilledEndsTheRun) {
  const auto result = run(3, {"kill"});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.output, AllOf(HasSubstr("rank 2"), HasSubstr("signal 9"),
                                   Not(HasSubstr("trained to the end"))));
}

TEST(MpiFailureTest, ARankThatThrowsEndsTheRun) {
  const auto result = run(3, {"throw"});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("error: the data of step 3 are bad"),
                    HasSubstr("rank 2 of 3 has ended with an error, so all "
                              "ranks end"),
                    Not(HasSubstr("trained to the end"))));
}

TEST(MpiFailureTest, ARankThatEndsBeforeTheOthersEndsTheRun) {
  for (const std::string how : {"leave", "exit"}) {
    SCOPED_TRACE(how);
    const auto result = run(2, {how});
    EXPECT_NE(result.code, 0);
    EXPECT_THAT(result.output,
                AllOf(HasSubstr("rank 0 waits for rank 1, which has ended"),
                      Not(HasSubstr("trained to the end"))));
  }
}

TEST(MpiFailureTest, ARankThatIsStoppedDoesNotKeepTheOthersFromEnding) {
  const auto result = run(2, {"stop"});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.output,
              HasSubstr("end of the program: rank 0 of 2 waited 1 seconds"));
}

TEST(MpiFailureTest, AWaitHasItsLimit) {
  const auto result = run(2, {"wait"});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.output,
              HasSubstr("rank 0 of 2 waited 1 seconds for the others"));
}

}  // namespace
}  // namespace catena::training::communicators
