#pragma once

#include <cstdint>

#include "catena/array/cuda/fast_divider.h"
#include "catena/array/kernels/reduction_args.h"

// Parameters of the reduction kernels, computed from ReduceArgs on the host.
// Needs no GPU.
namespace catena::cuda {

// The number of loads that a thread of a reduction has in flight.
inline constexpr int kReductionUnroll = 4;

// What the host needs to know about a functor's kernels.
struct ReductionTypes {
  int item_size = 0;  // of the input
  // Adjacent elements that a thread reads by one access: of a range, or of as
  // many outputs. 1: there is no such kernel.
  int row_pack = 1;
  int column_pack = 1;
};

// How the kernels read: in rows the lanes of an output are adjacent threads, in
// columns the outputs are, whichever reads adjacent elements. A pack of 1 fits
// any layout.
struct ReductionAccess {
  bool rows;
  int pack;

  constexpr int elements() const { return rows ? pack : 1; }
  constexpr int outputs() const { return rows ? 1 : pack; }
};

ReductionAccess choose_reduction_access(const array::ReduceArgs& args,
                                        const ReductionTypes& types);

// How the threads of a reduction share the work. A block of kBlockThreads has
// 2^log_lanes threads (lanes) per output, or per pack of outputs. With splits >
// 1, that many blocks share the range of an output, and a second kernel, with
// 2^log_split_lanes threads per output, combines their states, always in the
// same order.
struct ReductionShape {
  ReductionAccess access;
  int log_lanes;
  int log_split_lanes;
  int splits;
  int64_t output_blocks;

  constexpr int lanes() const { return 1 << log_lanes; }
  constexpr int64_t blocks() const { return output_blocks * splits; }
};

// `resident` is the number of blocks that run at once.
ReductionShape choose_reduction_shape(const array::ReduceArgs& args,
                                      const ReductionAccess& access,
                                      int64_t resident);

// One axis, with its strides in the input and the output. That along which
// packs lie is counted in packs.
struct ReductionAxis {
  IndexDivider extent;
  int64_t in_stride;
  int64_t out_stride;
};

struct ReductionParams {
  const char* input;
  char* output;
  char* states;        // of each output and split, if splits > 1
  int64_t outputs;     // in packs, if these are of outputs
  int64_t count;       // elements of a range
  int64_t split_size;  // elements, or packs of them, of a range per block
  int64_t out_step;    // bytes between the outputs of a pack
  ReductionShape shape;
  int nkept;
  int nreduced;
  ReductionAxis kept[kMaxDims];
  ReductionAxis reduced[kMaxDims];
};

ReductionParams make_reduction_params(const array::ReduceArgs& args,
                                      const ReductionShape& shape,
                                      char* states);

// The number of blocks that combine splits.
int64_t combining_blocks(const array::ReduceArgs& args,
                         const ReductionShape& shape);

}  // namespace catena::cuda
