// CUDA's kernels of sort, argsort and searchsorted
// (array/sorting/sort_kernel.h): CUB's radix sort of keys.

#include <cuda_runtime_api.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include "catena/array/core/dtype.h"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/sorting/search_step.h"
#include "catena/array/sorting/sort_kernel.h"
#include "catena/array/sorting/sort_key.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/stream.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using catena::cuda::check;
using catena::cuda::current_stream;
using catena::cuda::first_item;
using catena::cuda::item_step;
using catena::cuda::kBlockThreads;
using catena::cuda::launch_over;
using catena::cuda::Memory;

// Rows of at least this length are sorted one after another by the whole
// device, shorter ones by one block each.
constexpr int64_t kLongRow = 64 << 10;

// The offset of each row.
struct RowStart {
  int64_t length;
  __host__ __device__ int64_t operator()(int64_t row) const {
    return row * length;
  }
};

// Runs a CUB function, first to query its temporary storage.
template <class Call>
void with_scratch(int device, const char* name, Call call) {
  size_t bytes = 0;
  check(call(nullptr, bytes), name);
  const Memory scratch(static_cast<int64_t>(bytes), device);
  check(call(scratch.ptr(), bytes), name);
}

// Sorts the rows of `keys` into `sorted`, stably, along with the positions, if
// any.
template <class Key>
void sort_rows(const SortArgs& args, const Key* keys, Key* sorted,
               const int64_t* positions, int64_t* sorted_positions) {
  const int device = args.device.index();
  const cudaStream_t stream = current_stream(device);
  constexpr int kBits = 8 * sizeof(Key);
  if (args.rows == 1 || args.length >= kLongRow) {
    with_scratch(device, "cub::DeviceRadixSort",
                 [&](void* scratch, size_t& bytes) {
                   // The first call only queries the storage, for one row.
                   const int64_t rows = scratch == nullptr ? 1 : args.rows;
                   cudaError_t status = cudaSuccess;
                   for (int64_t r = 0; r < rows && status == cudaSuccess; ++r) {
                     const int64_t at = r * args.length;
                     status = positions == nullptr
                                  ? cub::DeviceRadixSort::SortKeys(
                                        scratch, bytes, keys + at, sorted + at,
                                        args.length, 0, kBits, stream)
                                  : cub::DeviceRadixSort::SortPairs(
                                        scratch, bytes, keys + at, sorted + at,
                                        positions + at, sorted_positions + at,
                                        args.length, 0, kBits, stream);
                   }
                   return status;
                 });
    return;
  }
  const auto starts = thrust::make_transform_iterator(
      thrust::counting_iterator<int64_t>(0), RowStart{args.length});
  const int64_t size = args.rows * args.length;
  with_scratch(device, "cub::DeviceSegmentedRadixSort",
               [&](void* scratch, size_t& bytes) {
                 return positions == nullptr
                            ? cub::DeviceSegmentedRadixSort::SortKeys(
                                  scratch, bytes, keys, sorted, size, args.rows,
                                  starts, starts + 1, 0, kBits, stream)
                            : cub::DeviceSegmentedRadixSort::SortPairs(
                                  scratch, bytes, keys, sorted, positions,
                                  sorted_positions, size, args.rows, starts,
                                  starts + 1, 0, kBits, stream);
               });
}

template <class T>
using KeyOf = typename SortKey<T>::Key;

template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    encode(const KeyOf<T>* values, KeyOf<T>* keys, int64_t size) {
  for (int64_t i = first_item(); i < size; i += item_step()) {
    keys[i] = SortKey<T>::encode(values[i]);
  }
}

template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    decode(const KeyOf<T>* keys, KeyOf<T>* values, int64_t size) {
  for (int64_t i = first_item(); i < size; i += item_step()) {
    values[i] = SortKey<T>::decode(keys[i]);
  }
}

// Computes keys for a stable order, and the position of each in its row.
template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    rank(const KeyOf<T>* values, KeyOf<T>* keys, int64_t* positions,
         int64_t length, int64_t size) {
  for (int64_t i = first_item(); i < size; i += item_step()) {
    keys[i] = SortKey<T>::encode_equal(values[i]);
    positions[i] = i % length;
  }
}

template <class T>
void sort(const SortArgs& args) {
  using Key = KeyOf<T>;
  const int device = args.device.index();
  const catena::cuda::DeviceGuard guard(device);
  const int64_t size = args.rows * args.length;
  Key* values = reinterpret_cast<Key*>(args.values);
  const Memory keys(size * static_cast<int64_t>(sizeof(Key)), device);
  Key* encoded = static_cast<Key*>(keys.ptr());
  const Memory other(size * static_cast<int64_t>(sizeof(Key)), device);
  Key* sorted = static_cast<Key*>(other.ptr());
  launch_over(encode<T>, size, device, values, encoded, size);
  sort_rows<Key>(args, encoded, sorted, nullptr, nullptr);
  launch_over(decode<T>, size, device, sorted, values, size);
}

template <class T>
void argsort(const SortArgs& args) {
  using Key = KeyOf<T>;
  const int device = args.device.index();
  const catena::cuda::DeviceGuard guard(device);
  const int64_t size = args.rows * args.length;
  const Memory keys(size * static_cast<int64_t>(sizeof(Key)), device);
  const Memory sorted(size * static_cast<int64_t>(sizeof(Key)), device);
  const Memory positions(size * static_cast<int64_t>(sizeof(int64_t)), device);
  launch_over(rank<T>, size, device, reinterpret_cast<const Key*>(args.values),
              static_cast<Key*>(keys.ptr()),
              static_cast<int64_t*>(positions.ptr()), args.length, size);
  sort_rows<Key>(args, static_cast<const Key*>(keys.ptr()),
                 static_cast<Key*>(sorted.ptr()),
                 static_cast<const int64_t*>(positions.ptr()), args.order);
}

template <class T>
__global__ void __launch_bounds__(kBlockThreads) search(SearchArgs args) {
  const KeyOf<T>* sorted = reinterpret_cast<const KeyOf<T>*>(args.sorted);
  const KeyOf<T>* values = reinterpret_cast<const KeyOf<T>*>(args.values);
  for (int64_t i = first_item(); i < args.count; i += item_step()) {
    args.positions[i] =
        search_sorted<T>(sorted, args.length, values[i], args.right);
  }
}

template <class T>
void searchsorted(const SearchArgs& args) {
  launch_over(search<T>, args.count, args.device.index(), args);
}

}  // namespace

template <class T>
struct Loop<SortFamily, Sort, T> {
  static constexpr SortKernel* run = sort<T>;
};
template <class T>
struct Loop<SortFamily, Argsort, T> {
  static constexpr SortKernel* run = argsort<T>;
};
template <class T>
struct Loop<Searchsorted, Searchsorted, T> {
  static constexpr SearchKernel* run = searchsorted<T>;
};

extern const auto kSortKernels =
    register_kernels<SortFamily>(TypeList<Sort, Argsort>());
extern const auto kSearchKernels = register_kernels<Searchsorted>();

}  // namespace catena::kernels::CATENA_BACKEND
