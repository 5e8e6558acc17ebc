// CUDA's kernels of take and scatter (array/take_kernel.h).

#include <cuda_runtime_api.h>

#include <bit>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>

#include "catena/array/core/dtype.h"
#include "catena/array/cuda/fast_divider.h"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/array/cuda/report_error.cuh"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/kernels/kernel_type.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/array/take_kernel.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/host_wait.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/stream.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using catena::cuda::check;
using catena::cuda::current_stream;
using catena::cuda::first_item;
using catena::cuda::IndexDivider;
using catena::cuda::item_step;
using catena::cuda::kBlockThreads;
using catena::cuda::launch_over;
using catena::cuda::Memory;

// What kernels use of an IndexedArgs.
struct IndexedParams {
  explicit IndexedParams(const IndexedArgs& args)
      : mode(args.mode),
        extent(args.extent),
        outer_stride(args.outer_stride),
        axis_stride(args.axis_stride),
        array(args.array),
        indices(args.indices),
        count(args.count),
        values(args.values) {
    if (mode == IndexMode::kRaise && args.error != nullptr) {
      error = error_reporter(args.device, args.operation, *args.error);
    }
  }

  // The slice that the index at this position selects, or -1.
  __device__ int64_t slice_at(int64_t i) const {
    const int64_t index = indices[i];
    if (mode == IndexMode::kRaise && (index < -extent || index >= extent)) {
      if (error.report != nullptr) {
        catena::cuda::report_error(error, index, extent);
      }
      return -1;
    }
    return resolve_index(index, extent, mode);
  }

  IndexMode mode;
  int64_t extent;
  int64_t outer_stride;
  int64_t axis_stride;
  char* array;
  const int64_t* indices;
  int64_t count;
  char* values;
  ErrorReporter error = {};
};

// Slices in words of the largest size that divides them and their addresses.
struct TakeParams {
  IndexedParams args;
  int64_t words;
  IndexDivider slice_words;
  IndexDivider count;
};

template <class Word>
__global__ void __launch_bounds__(kBlockThreads) take_words(TakeParams params) {
  const IndexedParams& args = params.args;
  for (int64_t w = first_item(); w < params.words; w += item_step()) {
    const int64_t row = params.slice_words.divide(w);
    const int64_t o = params.count.divide(row);
    const int64_t slice = args.slice_at(row - o * args.count);
    Word& to = reinterpret_cast<Word*>(args.values)[w];
    if (slice < 0) {
      to = Word{};
      continue;
    }
    const char* from =
        args.array + o * args.outer_stride + slice * args.axis_stride;
    to = reinterpret_cast<const Word*>(
        from)[w - row * params.slice_words.divisor()];
  }
}

template <class Word>
void take_in_words(const IndexedArgs& args) {
  const int64_t slice = args.inner_bytes / static_cast<int64_t>(sizeof(Word));
  const int64_t words = args.outer * args.count * slice;
  launch_over(take_words<Word>, words, args.device.index(),
              {IndexedParams(args), words, IndexDivider(slice),
               IndexDivider(args.count)});
}

void take(const IndexedArgs& args, int64_t /*item_size*/) {
  // The lowest bit set in any of them.
  const uint64_t all = reinterpret_cast<uintptr_t>(args.array) |
                       reinterpret_cast<uintptr_t>(args.values) |
                       static_cast<uint64_t>(args.inner_bytes) |
                       static_cast<uint64_t>(args.outer_stride) |
                       static_cast<uint64_t>(args.axis_stride);
  switch (std::countr_zero(all)) {
    case 0:
      return take_in_words<uint8_t>(args);
    case 1:
      return take_in_words<uint16_t>(args);
    case 2:
      return take_in_words<uint32_t>(args);
    case 3:
      return take_in_words<uint64_t>(args);
    default:
      return take_in_words<uint4>(args);
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    find_bad(const int64_t* indices, int64_t count, int64_t extent,
             unsigned long long* first_bad) {
  for (int64_t i = first_item(); i < count; i += item_step()) {
    if (indices[i] < -extent || indices[i] >= extent) {
      // The minimum of integers does not depend on the order.
      atomicMin(first_bad, static_cast<unsigned long long>(i));
      return;
    }
  }
}

int64_t find_bad_index(Device device, const int64_t* indices, int64_t count,
                       int64_t extent) {
  const int gpu = device.index();
  catena::cuda::check_host_wait(gpu, "indices that the host checks");
  const cudaStream_t stream = current_stream(gpu);
  const catena::cuda::DeviceGuard guard(gpu);
  const Memory found(sizeof(unsigned long long), gpu, stream);
  found.memset_async(0xff, stream);  // the largest, which is -1 when signed
  launch_over(find_bad, count, gpu, indices, count, extent,
              static_cast<unsigned long long*>(found.ptr()));
  int64_t position = -1;
  catena::cuda::copy_async(&position, found.ptr(), sizeof(position), gpu,
                           stream);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return position;
}

__global__ void __launch_bounds__(kBlockThreads)
    report_bad(const int64_t* indices, int64_t count, int64_t least,
               int64_t extent, int64_t axis, ErrorReporter reporter) {
  for (int64_t i = first_item(); i < count; i += item_step()) {
    const int64_t index = indices[i];
    if (index < least || index >= extent) {
      catena::cuda::report_error(reporter, index, extent, axis);
    }
  }
}

void report_bad_index(Device device, const int64_t* indices, int64_t count,
                      int64_t least, int64_t extent, int64_t axis,
                      const ErrorReporter& reporter) {
  launch_over(report_bad, count, device.index(), indices, count, least, extent,
              axis, reporter);
}

__global__ void __launch_bounds__(kBlockThreads)
    resolve_indices(IndexedParams args, uint64_t* slices, int64_t* positions) {
  for (int64_t i = first_item(); i < args.count; i += item_step()) {
    const int64_t slice = args.slice_at(i);
    // Those to skip come last.
    slices[i] = static_cast<uint64_t>(slice < 0 ? args.extent : slice);
    positions[i] = i;
  }
}

// A run of equal slices longer than this is summed by many threads.
constexpr int64_t kLongRun = 256;

struct ScatterParams {
  IndexedParams args;
  const uint64_t* slices;    // sorted; equal ones in the order of the indices
  const int64_t* positions;  // where each stood
  int64_t items;
  IndexDivider width;
  IndexDivider count;
  void* parts;  // see sum_parts
};

// The values of column j of the outer index o, by their rank in the sorted
// indices.
template <class T>
struct SortedValues {
  __device__ SortedValues(const ScatterParams& params, int64_t o, int64_t j)
      : width(params.width.divisor()),
        positions(params.positions),
        values(reinterpret_cast<const T*>(params.args.values) +
               o * params.args.count * width + j) {}
  __device__ T operator[](int64_t i) const {
    return values[positions[i] * width];
  }

  int64_t width;
  const int64_t* positions;
  const T* values;
};

template <class T>
__device__ T& element_of_slice(const IndexedParams& args, int64_t o,
                               uint64_t slice, int64_t j) {
  return reinterpret_cast<T*>(args.array + o * args.outer_stride +
                              static_cast<int64_t>(slice) *
                                  args.axis_stride)[j];
}

// Whether kLongRun of the sorted indices from the i-th on are this slice.
__device__ inline bool is_whole_part(const ScatterParams& params, int64_t i,
                                     uint64_t slice) {
  const int64_t last = i + kLongRun - 1;
  return last < params.args.count && params.slices[last] == slice;
}

// The first of the sorted indices that is this slice.
__device__ inline int64_t start_of_run(const ScatterParams& params,
                                       uint64_t slice) {
  int64_t begin = 0;
  int64_t end = params.args.count;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (params.slices[middle] < slice) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// Sums parts of long runs: kLongRun values each, counted from the run's start;
// the first part and what is left at the end are add_runs'. A part is stored by
// the multiple of kLongRun at which it starts, rounded down, which no two
// share. An item is a part, an outer index and a column.
template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    sum_parts(ScatterParams params) {
  const IndexedParams& args = params.args;
  const int64_t width = params.width.divisor();
  const int64_t nparts = params.count.divisor();
  for (int64_t item = first_item(); item < params.items; item += item_step()) {
    const int64_t row = params.width.divide(item);
    const int64_t j = item - row * width;
    const int64_t o = params.count.divide(row);
    const int64_t part = row - o * nparts;
    const int64_t least = part * kLongRun;
    const uint64_t slice = params.slices[least];
    if (slice == static_cast<uint64_t>(args.extent)) continue;
    const int64_t start = start_of_run(params, slice);
    if (start == least) continue;
    const int64_t before = least - start;
    const int64_t first = least + (kLongRun - before % kLongRun) % kLongRun;
    if (!is_whole_part(params, first, slice)) continue;
    const SortedValues<T> values(params, o, j);
    T sum = values[first];
    for (int64_t i = first + 1; i < first + kLongRun; ++i) {
      sum = AddOp()(sum, values[i]);
    }
    static_cast<T*>(params.parts)[item] = sum;
  }
}

// One thread per element written: the thread at the start of a run of equal
// slices adds the whole run in order, long ones by parts.
template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    add_runs(ScatterParams params) {
  const IndexedParams& args = params.args;
  const int64_t width = params.width.divisor();
  const int64_t nparts = args.count / kLongRun;
  for (int64_t item = first_item(); item < params.items; item += item_step()) {
    const int64_t row = params.width.divide(item);
    const int64_t j = item - row * width;
    const int64_t o = params.count.divide(row);
    const int64_t first = row - o * args.count;
    const uint64_t slice = params.slices[first];
    if (first > 0 && params.slices[first - 1] == slice) continue;
    if (slice == static_cast<uint64_t>(args.extent)) continue;
    T& to = element_of_slice<T>(args, o, slice, j);
    const SortedValues<T> values(params, o, j);
    const T* parts =
        static_cast<const T*>(params.parts) + o * nparts * width + j;
    T result = to;
    int64_t i = first;
    const auto add_values = [&] {
      const int64_t end = min(i + kLongRun, args.count);
      for (; i < end && params.slices[i] == slice; ++i) {
        result = AddOp()(result, values[i]);
      }
    };
    add_values();
    for (; is_whole_part(params, i, slice); i += kLongRun) {
      result = AddOp()(result, parts[i / kLongRun * width]);
    }
    add_values();
    to = result;
  }
}

// The thread at the end of a run of equal slices writes the last value.
template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    write_last(ScatterParams params) {
  const IndexedParams& args = params.args;
  const int64_t width = params.width.divisor();
  for (int64_t item = first_item(); item < params.items; item += item_step()) {
    const int64_t row = params.width.divide(item);
    const int64_t j = item - row * width;
    const int64_t o = params.count.divide(row);
    const int64_t last = row - o * args.count;
    const uint64_t slice = params.slices[last];
    if (last + 1 < args.count && params.slices[last + 1] == slice) continue;
    if (slice == static_cast<uint64_t>(args.extent)) continue;
    element_of_slice<T>(args, o, slice, j) =
        SortedValues<T>(params, o, j)[last];
  }
}

// The indices as slices, sorted, with their original positions.
class SortedIndices {
 public:
  explicit SortedIndices(const IndexedArgs& args)
      : slices_(bytes(args), args.device.index()),
        positions_(bytes(args), args.device.index()) {
    const int device = args.device.index();
    const catena::cuda::DeviceGuard guard(device);
    const Memory slices_in(bytes(args), device);
    const Memory positions_in(bytes(args), device);
    launch_over(resolve_indices, args.count, device, IndexedParams(args),
                static_cast<uint64_t*>(slices_in.ptr()),
                static_cast<int64_t*>(positions_in.ptr()));
    // Radix sort is stable.
    const auto sort = [&](void* scratch, size_t& scratch_bytes) {
      const int bits = std::bit_width(static_cast<uint64_t>(args.extent));
      check(cub::DeviceRadixSort::SortPairs(
                scratch, scratch_bytes,
                static_cast<const uint64_t*>(slices_in.ptr()),
                static_cast<uint64_t*>(slices_.ptr()),
                static_cast<const int64_t*>(positions_in.ptr()),
                static_cast<int64_t*>(positions_.ptr()), args.count, 0, bits,
                current_stream(device)),
            "cub::DeviceRadixSort::SortPairs");
    };
    size_t scratch_bytes = 0;
    sort(nullptr, scratch_bytes);
    const Memory scratch(static_cast<int64_t>(scratch_bytes), device);
    sort(scratch.ptr(), scratch_bytes);
  }

  const uint64_t* slices() const {
    return static_cast<const uint64_t*>(slices_.ptr());
  }
  const int64_t* positions() const {
    return static_cast<const int64_t*>(positions_.ptr());
  }

 private:
  static int64_t bytes(const IndexedArgs& args) {
    return args.count * static_cast<int64_t>(sizeof(int64_t));
  }

  Memory slices_;
  Memory positions_;
};

template <class T>
ScatterParams scatter_params(const IndexedArgs& args,
                             const SortedIndices& sorted) {
  const int64_t width = args.inner_bytes / static_cast<int64_t>(sizeof(T));
  return {IndexedParams(args),
          sorted.slices(),
          sorted.positions(),
          args.outer * args.count * width,
          IndexDivider(width),
          IndexDivider(args.count),
          nullptr};
}

template <class T>
void scatter_add(const IndexedArgs& args) {
  if (args.outer * args.count * args.inner_bytes == 0) return;
  const int device = args.device.index();
  const SortedIndices sorted(args);
  ScatterParams params = scatter_params<T>(args, sorted);
  // Only a part after the first of a run is summed apart.
  const int64_t nparts = args.count >= 2 * kLongRun ? args.count / kLongRun : 0;
  const Memory parts(args.outer * nparts * args.inner_bytes, device);
  params.parts = parts.ptr();
  if (nparts > 0) {
    ScatterParams of_parts = params;
    of_parts.items = params.items / args.count * nparts;
    of_parts.count = IndexDivider(nparts);
    launch_over(sum_parts<T>, of_parts.items, device, of_parts);
  }
  launch_over(add_runs<T>, params.items, device, params);
}

template <class T>
void scatter_update(const IndexedArgs& args) {
  if (args.outer * args.count * args.inner_bytes == 0) return;
  const SortedIndices sorted(args);
  const ScatterParams params = scatter_params<T>(args, sorted);
  launch_over(write_last<T>, params.items, args.device.index(), params);
}

}  // namespace

template <>
constinit const TakeKernels Kernels<TakeKernels>::table = {take, find_bad_index,
                                                           report_bad_index};
template <class T>
struct Loop<ScatterFamily, ScatterAdd, T> {
  static constexpr ScatterKernel* run = scatter_add<T>;
};
template <class T>
struct Loop<ScatterFamily, ScatterUpdate, T> {
  static constexpr ScatterKernel* run = scatter_update<BitsOf<T>>;
};

extern const auto kTakeKernels = register_kernels<TakeKernels>();
extern const auto kScatterKernels =
    register_kernels<ScatterFamily>(TypeList<ScatterAdd, ScatterUpdate>());

}  // namespace catena::kernels::CATENA_BACKEND
