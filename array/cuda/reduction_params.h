#pragma once

#include <cstdint>

#include "catena/array/cuda/fast_divider.h"
#include "catena/array/reduction.h"

// Parameters of the reduction kernels, computed from ReduceArgs on the host.
// Needs no GPU.
namespace catena::cuda {

// The number of elements that a thread of a reduction has in flight.
inline constexpr int kReductionUnroll = 4;

// How the threads of a reduction share the work. A block of kBlockThreads has
// 2^log_lanes threads (lanes) per output. In rows the lanes of an output are
// adjacent threads, in columns the outputs are, whichever reads adjacent
// elements. With splits > 1, that many blocks share the range of an output, and
// a second kernel combines their states, always in the same order.
struct ReductionShape {
  bool rows;
  int log_lanes;
  int splits;
  int64_t output_blocks;

  constexpr int lanes() const { return 1 << log_lanes; }
  constexpr int64_t blocks() const { return output_blocks * splits; }
};

ReductionShape choose_reduction_shape(const array::ReduceArgs& args,
                                      int multiprocessors);

// One axis, with its strides in the input and the output.
struct ReductionAxis {
  IndexDivider extent;
  int64_t in_stride;
  int64_t out_stride;
};

struct ReductionParams {
  const char* input;
  char* output;
  char* states;  // of each output and split, if splits > 1
  int64_t outputs;
  int64_t count;
  int64_t split_size;  // elements of a range per block
  ReductionShape shape;
  int nkept;
  int nreduced;
  ReductionAxis kept[kMaxDims];
  ReductionAxis reduced[kMaxDims];
};

ReductionParams make_reduction_params(const array::ReduceArgs& args,
                                      const ReductionShape& shape,
                                      char* states);

}  // namespace catena::cuda
