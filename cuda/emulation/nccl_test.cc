#include "nccl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catena/cuda/emulation/runtime.h"
#include "cuda_runtime.h"

namespace catena::cuda::emulation {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ncclUniqueId unique_id() {
  ncclUniqueId id{};
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  return id;
}

// What a rank has: a device, a stream and a communicator.
class Rank {
 public:
  Rank(const ncclUniqueId& id, int rank, int size) : rank_(rank) {
    EXPECT_EQ(cudaSetDevice(rank), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
              cudaSuccess);
    EXPECT_EQ(ncclCommInitRank(&comm_, size, id, rank), ncclSuccess)
        << ncclGetLastError(nullptr);
  }
  ~Rank() {
    if (comm_ != nullptr) {
      EXPECT_EQ(ncclCommDestroy(comm_), ncclSuccess);
    }
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    for (void* data : allocated_) EXPECT_EQ(cudaFree(data), cudaSuccess);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  int rank() const { return rank_; }
  ncclComm_t& comm() { return comm_; }
  cudaStream_t stream() const { return stream_; }

  float* upload(const std::vector<float>& values) {
    float* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, values.size() * 4), cudaSuccess);
    allocated_.push_back(data);
    EXPECT_EQ(cudaMemcpyAsync(data, values.data(), values.size() * 4,
                              cudaMemcpyDefault, stream_),
              cudaSuccess);
    return data;
  }
  std::vector<float> download(const float* data, size_t size) {
    std::vector<float> values(size);
    EXPECT_EQ(cudaMemcpyAsync(values.data(), data, size * 4, cudaMemcpyDefault,
                              stream_),
              cudaSuccess);
    return values;
  }
  ncclResult_t sum(float* data, size_t size) {
    return ncclAllReduce(data, data, size, ncclFloat32, ncclSum, comm_,
                         stream_);
  }

 private:
  int rank_;
  cudaStream_t stream_ = nullptr;
  ncclComm_t comm_ = nullptr;
  std::vector<void*> allocated_;
};

// Runs f for two ranks, which are threads.
void on_two_threads(const std::function<void(Rank&)>& f) {
  const ncclUniqueId id = unique_id();
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      Rank rank(id, i, 2);
      f(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(NcclTest, SumsOverThreads) {
  on_two_threads([](Rank& rank) {
    for (const size_t size : {1, 1000, 700'000}) {
      const float own = static_cast<float>(rank.rank()) + 1;
      float* data = rank.upload(std::vector<float>(size, own));
      for (int i = 0; i < 3; ++i) EXPECT_EQ(rank.sum(data, size), ncclSuccess);
      EXPECT_THAT(rank.download(data, size), Each(3 * 4));
    }
  });
}

TEST(NcclTest, BroadcastsFromTheRoot) {
  on_two_threads([](Rank& rank) {
    for (int root = 0; root < 2; ++root) {
      const float own = static_cast<float>(rank.rank());
      float* data = rank.upload({own, own + 10});
      EXPECT_EQ(ncclBroadcast(data, data, 8, ncclUint8, root, rank.comm(),
                              rank.stream()),
                ncclSuccess);
      const auto expected = static_cast<float>(root);
      EXPECT_THAT(rank.download(data, 2), ElementsAre(expected, expected + 10));
    }
  });
}

TEST(NcclTest, WaitsForARankThatComesLater) {
  on_two_threads([](Rank& rank) {
    float* data = rank.upload({1});
    if (rank.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(rank.sum(data, 1), ncclSuccess);
    if (rank.rank() == 0) {
      // Its own stream, which nobody else waits for.
      EXPECT_EQ(cudaStreamQuery(rank.stream()), cudaErrorNotReady);
    }
    EXPECT_THAT(rank.download(data, 1), ElementsAre(2));
  });
}

TEST(NcclTest, SumsOverProcesses) {
  const ncclUniqueId id = unique_id();
  const auto run = [&](int i) {
    Rank rank(id, i, 2);
    float* data = rank.upload(std::vector<float>(400'000, 0.5f));
    for (int k = 0; k < 4; ++k) EXPECT_EQ(rank.sum(data, 400'000), ncclSuccess);
    EXPECT_THAT(rank.download(data, 400'000), Each(8));
  };
  const pid_t child = fork();
  if (child == 0) {
    run(1);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  run(0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(NcclTest, AnAbortedRankDoesNothingMore) {
  const ncclUniqueId id = unique_id();
  std::thread other([&] { const Rank rank(id, 1, 2); });
  {
    Rank rank(id, 0, 2);
    float* data = rank.upload({7});
    EXPECT_EQ(rank.sum(data, 1), ncclSuccess);
    EXPECT_EQ(ncclCommAbort(rank.comm()), ncclSuccess);
    rank.comm() = nullptr;
    EXPECT_THAT(rank.download(data, 1), ElementsAre(7));
  }
  other.join();
}

// What is on standard error if rank 0 does `first` and waits, rank 1 `second`.
std::string failure(const std::function<void(Rank&, float*)>& first,
                    const std::function<void(Rank&, float*)>& second) {
  const ncclUniqueId id = unique_id();
  std::array<std::unique_ptr<Rank>, 2> ranks;
  ::testing::internal::CaptureStderr();
  std::thread other([&] {
    ranks[1] = std::make_unique<Rank>(id, 1, 2);
    second(*ranks[1], ranks[1]->upload({1, 2, 3, 4}));
  });
  ranks[0] = std::make_unique<Rank>(id, 0, 2);
  first(*ranks[0], ranks[0]->upload({1, 2, 3, 4}));
  EXPECT_EQ(cudaStreamSynchronize(ranks[0]->stream()), cudaErrorLaunchFailure);
  other.join();
  std::string found = ::testing::internal::GetCapturedStderr();
  for (const auto& rank : ranks) {
    EXPECT_EQ(ncclCommAbort(rank->comm()), ncclSuccess);
    rank->comm() = nullptr;
  }
  reset_devices();
  return found;
}

// As on a GPU, the work waits until it is aborted.
TEST(NcclTest, ReportsARankThatEndsBefore) {
  const ncclUniqueId id = unique_id();
  std::thread([&] {
    std::thread other([&] { const Rank ends(id, 1, 2); });
    Rank rank(id, 0, 2);
    other.join();
    float* data = rank.upload({7});
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(rank.sum(data, 1), ncclSuccess);
    ncclResult_t error = ncclSuccess;
    while (error == ncclSuccess) {
      EXPECT_EQ(cudaStreamQuery(rank.stream()), cudaErrorNotReady);
      EXPECT_EQ(ncclCommGetAsyncError(rank.comm(), &error), ncclSuccess);
    }
    EXPECT_EQ(error, ncclRemoteError);
    EXPECT_EQ(cudaStreamQuery(rank.stream()), cudaErrorNotReady);
    EXPECT_EQ(ncclCommAbort(rank.comm()), ncclSuccess);
    rank.comm() = nullptr;
    EXPECT_THAT(rank.download(data, 1), ElementsAre(7));
    EXPECT_THAT(
        ::testing::internal::GetCapturedStderr(),
        HasSubstr("ncclAllReduce: rank 0 waits for rank 1, which has ended"));
  }).join();
}

TEST(NcclTest, CallsDoNotWaitIfTheyNeedNot) {
  const ncclUniqueId id = unique_id();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, id, 0, &config), ncclInProgress);
  ncclResult_t state = ncclSuccess;
  EXPECT_EQ(ncclCommGetAsyncError(comm, &state), ncclSuccess);
  EXPECT_EQ(state, ncclInProgress);
  EXPECT_EQ(
      ncclAllReduce(nullptr, nullptr, 0, ncclFloat32, ncclSum, comm, nullptr),
      ncclInvalidUsage);
  std::thread([&] { const Rank other(id, 1, 2); }).join();
  EXPECT_EQ(ncclCommGetAsyncError(comm, &state), ncclSuccess);
  EXPECT_EQ(state, ncclSuccess);
  EXPECT_EQ(ncclCommFinalize(comm), ncclInProgress);
  EXPECT_EQ(ncclCommGetAsyncError(comm, &state), ncclSuccess);
  EXPECT_EQ(state, ncclSuccess);
  EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
}

TEST(NcclTest, ReportsRanksThatDoNotDoTheSame) {
  EXPECT_THAT(failure([](Rank& rank, float* x) { rank.sum(x, 4); },
                      [](Rank& rank, float* x) { rank.sum(x, 3); }),
              HasSubstr("ncclAllReduce of 3 elements"));
}

TEST(NcclTest, RejectsBadArguments) {
  const ncclUniqueId id = unique_id();
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclCommInitRank(&comm, 2, id, 2), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 2, ncclUniqueId{}, 0), ncclInvalidArgument);
  Rank rank(id, 0, 1);
  float host = 0;
  EXPECT_EQ(rank.sum(&host, 1), ncclInvalidArgument);
  EXPECT_THAT(ncclGetLastError(rank.comm()), HasSubstr("memory of device 0"));
  float* data = rank.upload({1});
  EXPECT_EQ(
      ncclBroadcast(data, data, 1, ncclUint8, 1, rank.comm(), rank.stream()),
      ncclInvalidArgument);
}

TEST(NcclTest, RejectsTwoRanksOnOneDevice) {
  const ncclUniqueId id = unique_id();
  const auto join = [&](int rank) {
    ncclComm_t comm = nullptr;
    EXPECT_EQ(ncclCommInitRank(&comm, 2, id, rank), ncclInvalidUsage);
    EXPECT_THAT(ncclGetLastError(comm), HasSubstr("both on device 0"));
  };
  std::thread other([&] { join(1); });
  join(0);
  other.join();
}

}  // namespace
}  // namespace catena::cuda::emulation
