#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <vector>

#include "catena/cuda/emulation/device_code.h"
#include "catena/cuda/emulation/runtime.h"

namespace catena::cuda::emulation {
namespace {

using ::testing::ElementsAre;

constexpr int kThreads = 64;

// Associative, but not commutative: the order shows.
struct Affine {
  unsigned factor;
  unsigned offset;
  bool operator==(const Affine&) const = default;
};
struct Compose {
  Affine operator()(const Affine& a, const Affine& b) const {
    return {a.factor * b.factor, a.offset * b.factor + b.offset};
  }
};
Affine element(unsigned i) { return {2 * i + 3, i}; }

// The composition of the elements before the n-th.
Affine composed(unsigned n) {
  Affine all{1, 0};
  for (unsigned i = 0; i < n; ++i) all = Compose()(all, element(i));
  return all;
}

class CubTest : public ::testing::Test {
 protected:
  void TearDown() override {
    reset_devices();
    for (void* data : allocated_) EXPECT_EQ(cudaFree(data), cudaSuccess);
  }

  template <class T>
  T* allocate(size_t size) {
    T* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, size * sizeof(T)), cudaSuccess);
    allocated_.push_back(data);
    return data;
  }
  template <class T>
  T* upload(const std::vector<T>& values) {
    T* data = allocate<T>(values.size());
    EXPECT_EQ(cudaMemcpy(data, values.data(), values.size() * sizeof(T),
                         cudaMemcpyDefault),
              cudaSuccess);
    return data;
  }
  template <class T>
  std::vector<T> download(const T* data, size_t size) {
    std::vector<T> values(size);
    EXPECT_EQ(
        cudaMemcpy(values.data(), data, size * sizeof(T), cudaMemcpyDefault),
        cudaSuccess);
    return values;
  }
  // Asks for the storage, then runs.
  template <class Call>
  cudaError_t call(Call call) {
    size_t bytes = 0;
    EXPECT_EQ(call(nullptr, bytes), cudaSuccess);
    EXPECT_GT(bytes, 0u);
    return call(allocate<char>(bytes), bytes);
  }
  // A kernel that takes a pointer, with two blocks.
  template <class T>
  cudaError_t launch(void (*kernel)(T*), T* data, unsigned threads = kThreads) {
    void* params[] = {&data};
    EXPECT_EQ(cudaLaunchKernel(kernel_address(kernel), dim3(2), dim3(threads),
                               params, 0, nullptr),
              cudaSuccess);
    return cudaStreamSynchronize(nullptr);
  }

 private:
  std::vector<void*> allocated_;
};

__global__ void reduce(Affine* results) {
  using Reduce = cub::BlockReduce<Affine, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  for (int round = 0; round < 2; ++round) {
    const Affine all = Reduce(storage).Reduce(element(threadIdx.x), Compose());
    if (threadIdx.x == 0) results[2 * blockIdx.x + round] = all;
    __syncthreads();
  }
}

TEST_F(CubTest, ReducesInTheOrderOfTheThreads) {
  auto* results = allocate<Affine>(4);
  EXPECT_EQ(launch(reduce, results), cudaSuccess);
  EXPECT_EQ(download(results, 4), std::vector<Affine>(4, composed(kThreads)));
}

__global__ void scan_items(Affine* results) {
  using Scan = cub::BlockScan<Affine, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  Affine items[3];
  for (unsigned i = 0; i < 3; ++i) items[i] = element(3 * threadIdx.x + i);
  Affine all;
  Scan(storage).InclusiveScan(items, items, Compose(), all);
  Affine* row = results + blockIdx.x * (3 * kThreads + 1);
  for (unsigned i = 0; i < 3; ++i) row[3 * threadIdx.x + i] = items[i];
  if (threadIdx.x == kThreads - 1) row[3 * kThreads] = all;
}

TEST_F(CubTest, ScansSeveralItemsOfEachThread) {
  constexpr unsigned kItems = 3 * kThreads;
  auto* results = allocate<Affine>(2 * (kItems + 1));
  EXPECT_EQ(launch(scan_items, results), cudaSuccess);
  const std::vector<Affine> found = download(results, 2 * (kItems + 1));
  for (unsigned i = 0; i < found.size(); ++i) {
    const unsigned at = i % (kItems + 1);
    EXPECT_EQ(found[i], composed(at < kItems ? at + 1 : kItems)) << i;
  }
}

__global__ void scan_exclusively(Affine* results) {
  using Scan = cub::BlockScan<Affine, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  Affine own = element(threadIdx.x);
  Affine all;
  Scan(storage).ExclusiveScan(own, own, Affine{5, 7}, Compose(), all);
  Affine* row = results + blockIdx.x * (kThreads + 1);
  row[threadIdx.x] = own;
  if (threadIdx.x == 1) row[kThreads] = all;
}

TEST_F(CubTest, ExclusiveScansStartWithTheInitialValue) {
  auto* results = allocate<Affine>(2 * (kThreads + 1));
  EXPECT_EQ(launch(scan_exclusively, results), cudaSuccess);
  const std::vector<Affine> found = download(results, 2 * (kThreads + 1));
  for (unsigned i = 0; i < found.size(); ++i) {
    const unsigned at = i % (kThreads + 1);
    EXPECT_EQ(found[i], at < kThreads ? Compose()({5, 7}, composed(at))
                                      : composed(kThreads))
        << i;
  }
}

__global__ void reduce_twice_at_once(Affine* results) {
  using Reduce = cub::BlockReduce<Affine, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  const Affine own = element(threadIdx.x);
  const Affine all = Reduce(storage).Reduce(own, Compose());
  results[blockIdx.x] = Reduce(storage).Reduce(all, Compose());
}

TEST_F(CubTest, ReportsStorageThatIsUsedAgainWithoutSyncthreads) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(launch(reduce_twice_at_once, allocate<Affine>(2)),
            cudaErrorLaunchFailure);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("again without __syncthreads()"));
}

TEST_F(CubTest, ReportsAnotherNumberOfThreads) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(launch(reduce, allocate<Affine>(4), kThreads / 2),
            cudaErrorLaunchFailure);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("another number of threads"));
}

TEST_F(CubTest, SortsKeys) {
  const auto* in = upload<uint64_t>({1ull << 63, 3, 0, ~0ull, 3});
  auto* out = allocate<uint64_t>(5);
  EXPECT_EQ(call([&](void* storage, size_t& bytes) {
              return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out,
                                                    int64_t{5});
            }),
            cudaSuccess);
  EXPECT_THAT(download(out, 5), ElementsAre(0, 3, 3, 1ull << 63, ~0ull));
}

TEST_F(CubTest, SortsPairsStablyByTheWantedBits) {
  const auto* keys = upload<uint16_t>({0x123, 0x021, 0x113, 0x225, 0x011});
  const auto* values = upload<int64_t>({0, 1, 2, 3, 4});
  auto* sorted_keys = allocate<uint16_t>(5);
  auto* sorted_values = allocate<int64_t>(5);
  EXPECT_EQ(call([&](void* storage, size_t& bytes) {
              return cub::DeviceRadixSort::SortPairs(
                  storage, bytes, keys, sorted_keys, values, sorted_values,
                  int64_t{5}, 4, 8);
            }),
            cudaSuccess);
  EXPECT_THAT(download(sorted_keys, 5),
              ElementsAre(0x113, 0x011, 0x123, 0x021, 0x225));
  EXPECT_THAT(download(sorted_values, 5), ElementsAre(2, 4, 0, 1, 3));
}

TEST_F(CubTest, SortsSegments) {
  const auto* keys = upload<uint8_t>({3, 1, 2, 9, 8, 7, 0});
  const auto* values = upload<int>({0, 1, 2, 3, 4, 5, 6});
  auto* sorted_keys = upload<uint8_t>(std::vector<uint8_t>(7, 42));
  auto* sorted_values = allocate<int>(7);
  const auto starts = thrust::make_transform_iterator(
      thrust::counting_iterator<int64_t>(0), [](int64_t i) { return 3 * i; });
  const auto sort = [&](void* storage, size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortPairs(
        storage, bytes, keys, sorted_keys, values, sorted_values, int64_t{7},
        int64_t{2}, starts, starts + 1, 0, 8, nullptr);
  };
  EXPECT_EQ(call(sort), cudaSuccess);
  // The last key is in no segment.
  EXPECT_THAT(download(sorted_keys, 7), ElementsAre(1, 2, 3, 7, 8, 9, 42));
  EXPECT_THAT(download(sorted_values, 6), ElementsAre(1, 2, 0, 5, 4, 3));
  EXPECT_EQ(call([&](void* storage, size_t& bytes) {
              return cub::DeviceSegmentedRadixSort::SortKeys(
                  storage, bytes, keys, sorted_keys, int64_t{7}, int64_t{1},
                  starts + 1, starts + 2, 0, 8, nullptr);
            }),
            cudaSuccess);
  EXPECT_THAT(download(sorted_keys, 7), ElementsAre(1, 2, 3, 7, 8, 9, 42));
}

TEST_F(CubTest, SelectsFlaggedPositions) {
  const auto* flags = upload<uint8_t>({0, 1, 0, 0, 1, 1});
  auto* positions = allocate<int64_t>(3);
  auto* count = allocate<int64_t>(1);
  EXPECT_EQ(call([&](void* storage, size_t& bytes) {
              return cub::DeviceSelect::Flagged(
                  storage, bytes, thrust::counting_iterator<int64_t>(0), flags,
                  positions, count, int64_t{6}, nullptr);
            }),
            cudaSuccess);
  EXPECT_THAT(download(positions, 3), ElementsAre(1, 4, 5));
  EXPECT_THAT(download(count, 1), ElementsAre(3));
}

TEST_F(CubTest, RejectsRangesThatOverlapAndWrongBits) {
  auto* keys = allocate<uint32_t>(10);
  const auto sort = [&](uint32_t* out, int end_bit) {
    return call([&](void* storage, size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, keys, out, 5, 0,
                                            end_bit, nullptr);
    });
  };
  EXPECT_EQ(sort(keys + 5, 32), cudaSuccess);
  EXPECT_EQ(sort(keys + 4, 32), cudaErrorInvalidValue);
  EXPECT_EQ(sort(keys, 32), cudaErrorInvalidValue);
  EXPECT_EQ(sort(keys + 5, 33), cudaErrorInvalidValue);
}

TEST_F(CubTest, NeedsAsMuchStorageAsItSaid) {
  auto* keys = allocate<uint32_t>(10);
  size_t bytes = 1;
  EXPECT_EQ(cub::DeviceRadixSort::SortKeys(allocate<char>(1), bytes, keys,
                                           keys + 5, 5),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace catena::cuda::emulation
