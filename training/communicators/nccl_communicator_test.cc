// Ranks that are threads, each with a GPU.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/array/core/backend.h"
#include "catena/array/creation.h"
#include "catena/links/connection/linear.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/gpu_limit.h"
#include "catena/training/communicators/forwarding_communicator.h"
#include "catena/training/communicators/gradient_reducer.h"
#include "catena/training/communicators/nccl_factory.h"
#include "catena/training/communicators/testing/contract.h"
#include "catena/training/communicators/thread_communicator.h"

namespace catena::training::communicators {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::gpus_for_tests;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

// Connects ranks, but does not know how the others are.
class Ignorant : public ForwardingCommunicator {
 public:
  explicit Ignorant(std::unique_ptr<Communicator> control)
      : ForwardingCommunicator(std::move(control), {}) {}
  std::string_view name() const override { return "ignorant"; }
  std::string failure() const override { return {}; }
};

class NcclCommunicatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const BackendTable* cuda = backend_table(Backend::kCuda);
    if (cuda == nullptr || gpus_for_tests(cuda->device_count()) < 2) {
      GTEST_SKIP() << "needs 2 CUDA devices";
    }
  }

  using Connect = std::function<std::unique_ptr<Communicator>(
      std::unique_ptr<Communicator>)>;

  // Calls `work` in a thread for each of two ranks, which `connect`, given a
  // communicator, connects in its way.
  static void run(
      const std::function<void(Communicator&)>& work,
      const NcclOptions& options = {},
      const Connect& connect = [](auto control) { return control; }) {
    auto controls = ThreadCommunicator::create(2);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 2; ++rank) {
      threads.emplace_back([&, rank] {
        const DeviceScope device(cuda_device(rank));
        const auto communicator = (*internal::nccl_factory())(
            connect(std::move(controls[static_cast<size_t>(rank)])), {},
            options);
        work(*communicator);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

constexpr NcclOptions kShort{.timeout = std::chrono::seconds(1)};

Array ones() { return array::ones({3}, Dtype::kFloat32); }

TEST_F(NcclCommunicatorTest, KeepsTheContract) {
  run([](Communicator& communicator) {
    EXPECT_EQ(communicator.name(), "nccl");
    testing::check_collectives(communicator);
    testing::check_models(communicator);
    testing::check_bad_calls(communicator);
  });
}

// The stream that waits is that of the rank's GPU, whichever is CUDA's current
// device.
TEST_F(NcclCommunicatorTest, WaitsOnItsOwnGpu) {
  run([](Communicator& communicator) {
    const DeviceScope other(cuda_device(1 - communicator.rank()));
    for (int round = 0; round < 10; ++round) {
      const Array x =
          array::ones({3}, Dtype::kFloat32, cuda_device(communicator.rank()));
      communicator.start_allreduce(x)->wait();
      EXPECT_THAT(
          x.to_device(native_device()),
          IsArray(array::full({3}, 2, Dtype::kFloat32, native_device())));
    }
  });
}

// The first rank's error; the other does something else until then.
void expect_timeout(Communicator& communicator,
                    const std::function<void()>& other,
                    const std::string& reason = "") {
  if (communicator.rank() == 1) return other();
  const Clock::time_point start = Clock::now();
  const Array x = ones();
  EXPECT_THAT(
      error_of<CommunicatorError>([&] {
        communicator.start_allreduce(x)->wait();
        x.to_device(native_device());
      }),
      AllOf(HasSubstr("rank 0 of 2"), HasSubstr("allreduce of float32 (3,)"),
            HasSubstr(reason), ContainsRegex("waited [0-9.]+ s")));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(30));
  // From now on it can't be used.
  EXPECT_THAT(
      error_of<CommunicatorError>([&] { communicator.start_allreduce(x); }),
      HasSubstr("rank 0 of 2"));
}

TEST_F(NcclCommunicatorTest, ARankThatHangsIsAnError) {
  run(
      [](Communicator& communicator) {
        expect_timeout(
            communicator,
            [] { std::this_thread::sleep_for(std::chrono::seconds(4)); },
            "longer than the timeout");
      },
      kShort);
}

TEST_F(NcclCommunicatorTest, ARankThatEndsIsAnErrorAtOnce) {
  run([](Communicator& communicator) { expect_timeout(communicator, [] {}); });
}

TEST_F(NcclCommunicatorTest, NcclReportsARankThatEnds) {
  run([](Communicator& communicator) { expect_timeout(communicator, [] {}); },
      /*options=*/{},
      [](std::unique_ptr<Communicator> control) {
        return std::make_unique<Ignorant>(std::move(control));
      });
}

// Half the bytes: gradients of 1/3 and 2/3, rounded to the type that is sent.
TEST_F(NcclCommunicatorTest, SumsGradientsInSixteenBits) {
  for (const Dtype param : {Dtype::kFloat32, Dtype::kBFloat16}) {
    run([&](Communicator& communicator) {
      links::Linear link(3, 2, {.nobias = true});
      const Array own =
          array::full({2, 3}, (1.0 + communicator.rank()) / 3, Dtype::kFloat32);
      const Parameter w = link.params()[0];
      w.set_data(w.data().astype(param));
      w.set_grad(own.astype(param));
      GradientReducer reducer(communicator,
                              {.allreduce_grad_dtype = Dtype::kBFloat16});
      reducer.start(link);
      reducer.finish();
      EXPECT_EQ(w.grad().dtype(), param);
      const Array half = array::full({2, 3}, 0.5, Dtype::kFloat32);
      EXPECT_THAT(w.grad().astype(Dtype::kFloat32),
                  IsClose(half, {.rtol = 1.0 / 128}));
      // As bfloat16 has it.
      EXPECT_THAT(w.grad(),
                  IsArray(w.grad().astype(Dtype::kBFloat16).astype(param)));
    });
  }
}

TEST_F(NcclCommunicatorTest, ASlowRankIsNoError) {
  run(
      [](Communicator& communicator) {
        for (int i = 0; i < 4; ++i) {
          if (communicator.rank() == 1) {
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
          }
          const Array x = ones();
          communicator.start_allreduce(x)->wait();
          EXPECT_THAT(x, IsArray(array::full({3}, 2, Dtype::kFloat32)));
        }
      },
      kShort);
}

TEST_F(NcclCommunicatorTest, UnwindingDoesNotWaitForOthers) {
  run([](Communicator& communicator) {
    const Clock::time_point start = Clock::now();
    if (communicator.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      return;
    }
    try {
      const auto request = communicator.start_allreduce(ones());
      throw ValueError("the data are bad");
    } catch (const ValueError&) {
    }
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(2));
  });
}

TEST_F(NcclCommunicatorTest, ARankThatNeverConnectsIsAnError) {
  auto controls = ThreadCommunicator::create(2);
  std::thread other([&] {
    // It is there for everything but NCCL.
    controls[1]->allgather_bytes("0000:99:00.0");
    controls[1]->bcast_bytes({});
    std::this_thread::sleep_for(std::chrono::seconds(3));
  });
  const DeviceScope device(cuda_device(0));
  EXPECT_THAT(error_of<CommunicatorError>([&] {
                (*internal::nccl_factory())(std::move(controls[0]), {}, kShort);
              }),
              AllOf(HasSubstr("rank 0 of 2"), HasSubstr("ncclCommInitRank")));
  other.join();
}

TEST_F(NcclCommunicatorTest, RefusesATimeoutOfZero) {
  const DeviceScope device(cuda_device(0));
  EXPECT_THAT(error_of<ValueError>([] {
                (*internal::nccl_factory())(
                    std::move(ThreadCommunicator::create(1)[0]), {},
                    {.timeout = std::chrono::seconds(0)});
              }),
              HasSubstr("timeout"));
}

}  // namespace
}  // namespace catena::training::communicators
