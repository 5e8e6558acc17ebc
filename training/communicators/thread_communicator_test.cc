#include "catena/training/communicators/thread_communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>

#include "catena/array/creation.h"
#include "catena/training/communicators/testing/contract.h"
#include "catena/training/communicators/testing/threads.h"

namespace catena::training::communicators {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ThreadCommunicatorTest : public ::testing::TestWithParam<int> {
 protected:
  void run(const std::function<void(Communicator&)>& check) const {
    for (const auto& failure : testing::run_threads(GetParam(), check)) {
      if (failure) std::rethrow_exception(failure);
    }
  }
};

TEST_P(ThreadCommunicatorTest, CollectivesGiveWhatAllRanksHave) {
  run(testing::check_collectives);
}

TEST_P(ThreadCommunicatorTest, ModelsAreSharedAndGradientsAveraged) {
  run(testing::check_models);
}

TEST_P(ThreadCommunicatorTest, BadCallsAreErrors) {
  run(testing::check_bad_calls);
}

TEST_P(ThreadCommunicatorTest, TrainingIsThatOfOneWithTheWholeMinibatch) {
  run(testing::check_training);
}

TEST_P(ThreadCommunicatorTest, LossScalesAreTakenOutOfGradients) {
  run(testing::check_loss_scaling);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadCommunicatorTest,
                         ::testing::Values(1, 2, 3, 4));

TEST(ThreadCommunicator, NeedsARank) {
  EXPECT_THAT(
      [] { ThreadCommunicator::create(0); },
      ThrowsMessage<ValueError>(HasSubstr("expected size >= 1, got 0")));
  EXPECT_THAT(
      [] { ThreadCommunicator::create(2, {.bucket_bytes = -1}); },
      ThrowsMessage<ValueError>(HasSubstr("bucket_bytes of at least 0")));
}

std::string text_of(const std::exception_ptr& failure) {
  if (!failure) return "nothing";
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ThreadCommunicator, AThreadThatFailsEndsTheWaitOfOthers) {
  const auto failures =
      testing::run_threads(3, [](ThreadCommunicator& communicator) {
        communicator.barrier();
        if (communicator.rank() == 1) raise<ValueError>("no luck");
        communicator.barrier();
      });
  EXPECT_EQ(text_of(failures[1]), "no luck");
  EXPECT_THAT(text_of(failures[0]), HasSubstr("rank 1 of 3 has left"));
  EXPECT_THAT(text_of(failures[2]), HasSubstr("rank 1 of 3 has left"));
}

TEST(ThreadCommunicator, FailTellsTheReason) {
  const auto failures =
      testing::run_threads(2, [](ThreadCommunicator& communicator) {
        if (communicator.rank() == 0) communicator.fail("rank 0: out of data");
        communicator.barrier();
      });
  EXPECT_EQ(text_of(failures[0]), "rank 0: out of data");
  EXPECT_EQ(text_of(failures[1]), "rank 0: out of data");
}

TEST(ThreadCommunicator, ArraysOfDifferentFormsAreAnErrorInAllRanks) {
  const auto failures =
      testing::run_threads(2, [](ThreadCommunicator& communicator) {
        communicator.allreduce(
            array::zeros({2 + communicator.rank()}, Dtype::kFloat32));
      });
  EXPECT_THAT(
      text_of(failures[0]),
      HasSubstr("rank 0 has float32 (2,) where rank 1 has float32 (3,)"));
  EXPECT_THAT(
      text_of(failures[1]),
      HasSubstr("rank 1 has float32 (3,) where rank 0 has float32 (2,)"));
}

}  // namespace
}  // namespace catena::training::communicators
