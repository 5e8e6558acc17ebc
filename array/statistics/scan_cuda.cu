// Cumulative sums and products on CUDA. There is one row per index of the other
// axes; its elements are `inner` apart. If rows are adjacent, each thread scans
// one; else thread blocks scan pieces of kScanBlock elements, in two passes if
// a row has several, so that results are reproducible.

#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <optional>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/statistics/scan_kernel.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace catena::cuda;  // NOLINT(google-build-using-namespace)

constexpr int kItems = 4;  // of a thread at a time
constexpr int kTile = kItems * kBlockThreads;

// At least this many adjacent rows are accessed coalesced.
constexpr int64_t kWide = 32;

template <class Op, class State>
struct Combine {
  __device__ __forceinline__ State operator()(const State& a,
                                              const State& b) const {
    return Op::combine(a, b);
  }
};

template <class Op, class T>
struct Scan {
  using State = typename Op::template State<T>;

  static __device__ __forceinline__ State element(T x) {
    return static_cast<State>(Op::template map<T>(widen(x), 0));
  }
  static __device__ __forceinline__ T result(State s) {
    return narrow<T>(static_cast<ComputeOf<T>>(s));
  }
  static __device__ __forceinline__ int64_t first_of(int64_t row,
                                                     const ScanArgs& args) {
    return row / args.inner * args.extent * args.inner + row % args.inner;
  }
};

template <class Op, class T>
__global__ void __launch_bounds__(kBlockThreads)
    scan_side_by_side(ScanArgs args) {
  using S = Scan<Op, T>;
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= args.outer * args.inner) return;
  const T* input = reinterpret_cast<const T*>(args.input);
  T* output = reinterpret_cast<T*>(args.output);
  auto run = Op::template identity<typename S::State>();
  int64_t at = S::first_of(row, args);
  for (int64_t i = 0; i < args.extent; ++i, at += args.inner) {
    run = Op::combine(run, S::element(input[at]));
    output[at] = S::result(run);
  }
}

// The total of each piece.
template <class Op, class T>
__global__ void __launch_bounds__(kBlockThreads)
    reduce_pieces(ScanArgs args, int64_t pieces, void* totals) {
  using S = Scan<Op, T>;
  using State = typename S::State;
  using Reduce = cub::BlockReduce<State, kBlockThreads>;
  __shared__ typename Reduce::TempStorage storage;
  const T* input = reinterpret_cast<const T*>(args.input) +
                   S::first_of(blockIdx.x / pieces, args);
  const int64_t begin = blockIdx.x % pieces * kScanBlock;
  const int64_t end = min(begin + kScanBlock, args.extent);
  auto total = Op::template identity<State>();
  for (int64_t i = begin + threadIdx.x; i < end; i += kBlockThreads) {
    total = Op::combine(total, S::element(input[i * args.inner]));
  }
  total = Reduce(storage).Reduce(total, Combine<Op, State>());
  if (threadIdx.x == 0) static_cast<State*>(totals)[blockIdx.x] = total;
}

// Turns the totals of each row's pieces into the carries before each piece.
template <class Op, class State>
__global__ void __launch_bounds__(kBlockThreads)
    scan_totals(int64_t pieces, void* totals) {
  using BlockScan = cub::BlockScan<State, kBlockThreads>;
  __shared__ typename BlockScan::TempStorage storage;
  State* row = static_cast<State*>(totals) + blockIdx.x * pieces;
  auto carry = Op::template identity<State>();
  for (int64_t begin = 0; begin < pieces; begin += kBlockThreads) {
    const int64_t i = begin + threadIdx.x;
    State state = i < pieces ? row[i] : Op::template identity<State>();
    State total;
    BlockScan(storage).ExclusiveScan(state, state,
                                     Op::template identity<State>(),
                                     Combine<Op, State>(), total);
    if (i < pieces) row[i] = Op::combine(carry, state);
    carry = Op::combine(carry, total);
    __syncthreads();  // the storage is used again
  }
}

// `carries` is null if a row is one piece.
template <class Op, class T>
__global__ void __launch_bounds__(kBlockThreads)
    scan_pieces(ScanArgs args, int64_t pieces, const void* carries) {
  using S = Scan<Op, T>;
  using State = typename S::State;
  using BlockScan = cub::BlockScan<State, kBlockThreads>;
  __shared__ typename BlockScan::TempStorage storage;
  const int64_t first = S::first_of(blockIdx.x / pieces, args);
  const T* input = reinterpret_cast<const T*>(args.input) + first;
  T* output = reinterpret_cast<T*>(args.output) + first;
  const int64_t piece = blockIdx.x % pieces * kScanBlock;
  const int64_t end = min(piece + kScanBlock, args.extent);
  State carry = carries == nullptr
                    ? Op::template identity<State>()
                    : static_cast<const State*>(carries)[blockIdx.x];
  for (int64_t tile = piece; tile < end; tile += kTile) {
    const int64_t begin = tile + threadIdx.x * kItems;
    State states[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      states[i] = begin + i < end ? S::element(input[(begin + i) * args.inner])
                                  : Op::template identity<State>();
    }
    State total;
    BlockScan(storage).InclusiveScan(states, states, Combine<Op, State>(),
                                     total);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (begin + i < end) {
        output[(begin + i) * args.inner] =
            S::result(Op::combine(carry, states[i]));
      }
    }
    carry = Op::combine(carry, total);
    __syncthreads();  // the storage is used again
  }
}

template <class Op, class T>
void scan(const ScanArgs& args) {
  using State = typename Scan<Op, T>::State;
  const int device = args.device.index();
  const int64_t rows = args.outer * args.inner;
  if (args.inner >= kWide) {
    return launch(&scan_side_by_side<Op, T>, ceil_divide(rows, kBlockThreads),
                  kBlockThreads, device, args);
  }
  const int64_t pieces = ceil_divide(args.extent, kScanBlock);
  std::optional<Memory> totals;
  void* carries = nullptr;
  if (pieces > 1) {
    totals.emplace(rows * pieces * static_cast<int64_t>(sizeof(State)), device);
    carries = totals->ptr();
    launch(&reduce_pieces<Op, T>, rows * pieces, kBlockThreads, device, args,
           pieces, carries);
    launch(&scan_totals<Op, State>, rows, kBlockThreads, device, pieces,
           carries);
  }
  launch(&scan_pieces<Op, T>, rows * pieces, kBlockThreads, device, args,
         pieces, carries);
}

}  // namespace

template <class Op, class T>
struct Loop<ScanFamily, Op, T> {
  static constexpr ScanKernel* run = scan<typename Op::Combine, T>;
};

extern const auto kScanKernels =
    register_kernels<ScanFamily>(TypeList<Cumsum, Cumprod>());

}  // namespace catena::kernels::CATENA_BACKEND
