// CUDA's check of labels, which the host does not wait for.

#include <algorithm>
#include <cstdint>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/array/cuda/report_error.cuh"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/functions/loss/internal/label_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using catena::cuda::first_item;
using catena::cuda::item_step;
using catena::cuda::kBlockThreads;
using catena::cuda::Memory;
using functions::LabelArgs;
using functions::LabelKernels;

constexpr int kLogBlockThreads = 8;
static_assert(1 << kLogBlockThreads == kBlockThreads);

// Up to so many labels one block needs no more time than a second launch.
constexpr int64_t kLabelsPerBlock = 64 * kBlockThreads;

struct LabelParams {
  const void* labels;
  void* valid;
  int64_t size;
  int64_t classes;
  bool ignores;
  int64_t ignored;
  ErrorReporter error;
};

// The sum over the block, for its first thread.
__device__ int64_t sum_over_block(int64_t number) {
  __shared__ int64_t sums[kBlockThreads / 32];
  return catena::cuda::combine_neighbours(
      number, kLogBlockThreads, sums,
      [](int64_t a, int64_t b) { return a + b; });
}

__device__ double reciprocal_of(int64_t count) {
  return 1.0 / static_cast<double>(max(count, int64_t{1}));
}

// `counts` has a number for each block; `reciprocal` is for a single block.
// Either may be null.
template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    check_labels(LabelParams params, int64_t* counts, double* reciprocal) {
  int64_t count = 0;
  for (int64_t i = first_item(); i < params.size; i += item_step()) {
    const int64_t label = static_cast<const T*>(params.labels)[i];
    const bool is_ignored = params.ignores && label == params.ignored;
    const bool counts = !is_ignored && label >= 0 && label < params.classes;
    if (!is_ignored && !counts) {
      catena::cuda::report_error(params.error, label, params.classes,
                                 params.ignores, params.ignored);
    }
    count += counts ? 1 : 0;
    static_cast<T*>(params.valid)[i] = static_cast<T>(counts ? label : -1);
  }
  count = sum_over_block(count);
  if (threadIdx.x != 0) return;
  if (counts != nullptr) counts[blockIdx.x] = count;
  if (reciprocal != nullptr) *reciprocal = reciprocal_of(count);
}

__global__ void __launch_bounds__(kBlockThreads)
    sum_counts(const int64_t* counts, int64_t blocks, double* reciprocal) {
  int64_t count = 0;
  for (int64_t i = threadIdx.x; i < blocks; i += kBlockThreads) {
    count += counts[i];
  }
  count = sum_over_block(count);
  if (threadIdx.x == 0) *reciprocal = reciprocal_of(count);
}

template <class T>
void check_on_device(const LabelArgs& args, double* reciprocal) {
  const int device = args.device.index();
  const LabelParams params = {
      args.labels,
      args.valid,
      args.size,
      args.classes,
      args.ignored.has_value(),
      args.ignored.value_or(0),
      error_reporter(args.device, args.operation, *args.error)};
  if (args.size <= kLabelsPerBlock) {
    catena::cuda::launch(check_labels<T>, 1, kBlockThreads, device, params,
                         nullptr, reciprocal);
    return;
  }
  const int64_t blocks = catena::cuda::loop_blocks(
      args.size, 8,
      catena::cuda::resident_blocks(&check_labels<T>, kBlockThreads, device));
  const Memory counts(blocks * static_cast<int64_t>(sizeof(int64_t)), device);
  auto* const of_blocks = static_cast<int64_t*>(counts.ptr());
  catena::cuda::launch(check_labels<T>, blocks, kBlockThreads, device, params,
                       of_blocks, nullptr);
  if (reciprocal == nullptr) return;
  catena::cuda::launch(sum_counts, 1, kBlockThreads, device, of_blocks, blocks,
                       reciprocal);
}

std::optional<int64_t> check(const LabelArgs& args, double* reciprocal) {
  if (args.is_64_bit) {
    check_on_device<int64_t>(args, reciprocal);
  } else {
    check_on_device<int32_t>(args, reciprocal);
  }
  return std::nullopt;
}

}  // namespace

template <>
constinit const LabelKernels Kernels<LabelKernels>::table = {check};

extern const auto kLabelKernels = register_kernels<LabelKernels>();

}  // namespace catena::kernels::CATENA_BACKEND
