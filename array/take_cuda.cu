// CUDA's kernels of take and scatter (array/take_kernel.h).

#include <cuda_runtime_api.h>

#include <bit>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>

#include "catena/array/cuda/fast_divider.h"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/array/cuda/report_error.cuh"
#include "catena/array/dtype.h"
#include "catena/array/kernel_definition.h"
#include "catena/array/kernel_type.h"
#include "catena/array/take_kernel.h"
#include "catena/array/ufunc_ops.h"
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
    resolve_indices(IndexedParams args, uint64_t* slices, int64_t* positions) {
  for (int64_t i = first_item(); i < args.count; i += item_step()) {
    const int64_t slice = args.slice_at(i);
    // Those to skip come last.
    slices[i] = static_cast<uint64_t>(slice < 0 ? args.extent : slice);
    positions[i] = i;
  }
}

struct ScatterParams {
  IndexedParams args;
  const uint64_t* slices;    // sorted; equal ones in the order of the indices
  const int64_t* positions;  // where each stood
  int64_t items;
  IndexDivider width;
  IndexDivider count;
};

struct Add {
  template <class T>
  __device__ void operator()(T& to, T value) const {
    to = AddOp()(to, value);
  }
};

struct Update {
  template <class T>
  __device__ void operator()(T& to, T value) const {
    to = value;
  }
};

// One thread per element written: the thread at the start of a run of equal
// slices applies the whole run in order.
template <class T, class Op>
__global__ void __launch_bounds__(kBlockThreads)
    scatter_runs(ScatterParams params) {
  const IndexedParams& args = params.args;
  const int64_t width = params.width.divisor();
  for (int64_t item = first_item(); item < params.items; item += item_step()) {
    const int64_t row = params.width.divide(item);
    const int64_t j = item - row * width;
    const int64_t o = params.count.divide(row);
    const int64_t first = row - o * args.count;
    const uint64_t slice = params.slices[first];
    if (first > 0 && params.slices[first - 1] == slice) continue;
    if (slice == static_cast<uint64_t>(args.extent)) continue;
    T& to =
        reinterpret_cast<T*>(args.array + o * args.outer_stride +
                             static_cast<int64_t>(slice) * args.axis_stride)[j];
    const T* values =
        reinterpret_cast<const T*>(args.values) + o * args.count * width + j;
    T result = to;
    for (int64_t i = first; i < args.count && params.slices[i] == slice; ++i) {
      Op()(result, values[params.positions[i] * width]);
    }
    to = result;
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

template <class T, class Op>
void scatter(const IndexedArgs& args) {
  const int64_t width = args.inner_bytes / static_cast<int64_t>(sizeof(T));
  const int64_t items = args.outer * args.count * width;
  if (items == 0) return;
  const SortedIndices sorted(args);
  launch_over(scatter_runs<T, Op>, items, args.device.index(),
              {IndexedParams(args), sorted.slices(), sorted.positions(), items,
               IndexDivider(width), IndexDivider(args.count)});
}

}  // namespace

template <>
constinit const TakeKernels Kernels<TakeKernels>::table = {take,
                                                           find_bad_index};
template <class T>
struct Loop<ScatterFamily, ScatterAdd, T> {
  static constexpr ScatterKernel* run = scatter<T, Add>;
};
template <class T>
struct Loop<ScatterFamily, ScatterUpdate, T> {
  static constexpr ScatterKernel* run = scatter<BitsOf<T>, Update>;
};

extern const auto kTakeKernels = register_kernels<TakeKernels>();
extern const auto kScatterKernels =
    register_kernels<ScatterFamily>(TypeList<ScatterAdd, ScatterUpdate>());

}  // namespace catena::kernels::CATENA_BACKEND
