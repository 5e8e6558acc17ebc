#include "catena/training/communicators/thread_communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <thread>

#include "catena/array/creation.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/communicators/testing/contract.h"
#include "catena/training/communicators/testing/threads.h"

namespace catena::training::communicators {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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
  EXPECT_THAT(error_of<ValueError>([] { ThreadCommunicator::create(0); }),
              HasSubstr("expected size >= 1, got 0"));
  EXPECT_THAT(error_of<ValueError>(
                  [] { ThreadCommunicator::create(2, {.bucket_bytes = -1}); }),
              HasSubstr("bucket_bytes of at least 0"));
  EXPECT_THAT(error_of<ValueError>([] {
                ThreadCommunicator::create(
                    2, {}, {.timeout = std::chrono::milliseconds(0)});
              }),
              HasSubstr("a positive timeout, got 0 ms"));
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
  EXPECT_EQ(text_of(failures[0]), "barrier: rank 0: out of data");
  EXPECT_THAT(text_of(failures[1]),
              AllOf(StartsWith("barrier: "), HasSubstr("rank 0: out of data")));
}

// One rank does something else while the others do this.
void expect_timeout(const std::string& operation,
                    const std::function<void(Communicator&)>& work) {
  SCOPED_TRACE(operation);
  const auto failures = testing::run_threads(
      3,
      [&](ThreadCommunicator& communicator) {
        if (communicator.rank() == 1) {
          std::this_thread::sleep_for(std::chrono::seconds(1));
        }
        work(communicator);
      },
      {}, {.timeout = std::chrono::milliseconds(200)});
  for (const auto& failure : failures) {
    EXPECT_THAT(text_of(failure),
                AllOf(StartsWith(operation + ": "),
                      ContainsRegex("rank [02] of 3 waited [0-9.]+ seconds")));
  }
}

TEST(ThreadCommunicator, AThreadThatHangsIsAnErrorOfAllOthersAndItsOwn) {
  const auto ones = [] { return array::ones({3}, Dtype::kFloat32); };
  expect_timeout("allreduce", [&](Communicator& c) { c.allreduce(ones()); });
  expect_timeout("bcast", [&](Communicator& c) { c.bcast(ones(), 1); });
  expect_timeout("bcast", [](Communicator& c) { c.bcast_bytes("bytes", 1); });
  expect_timeout("allgather", [](Communicator& c) { c.allgather_bytes("x"); });
  expect_timeout("barrier", [](Communicator& c) { c.barrier(); });
}

TEST(ThreadCommunicator, ASlowThreadIsNoError) {
  const auto failures = testing::run_threads(
      2,
      [](ThreadCommunicator& communicator) {
        for (int i = 0; i < 3; ++i) {
          std::this_thread::sleep_for(
              std::chrono::milliseconds(communicator.rank() == i % 2 ? 20 : 0));
          communicator.barrier();
        }
      },
      {}, {.timeout = std::chrono::milliseconds::max()});
  EXPECT_EQ(text_of(failures[0]), "nothing");
  EXPECT_EQ(text_of(failures[1]), "nothing");
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
