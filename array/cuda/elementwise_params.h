#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>

#include "catena/array/cuda/fast_divider.h"
#include "catena/array/kernels/elementwise_args.h"

// Parameters of the elementwise kernels, computed from ElementwiseArgs on the
// host. Needs no GPU.
namespace catena::cuda {

using array::ElementwiseArgs;
using array::kMaxOperands;

// What the host needs to know about a functor's operand types.
struct ElementwiseTypes {
  int noperands = 0;
  int ninputs = 0;
  uint8_t item_sizes[kMaxOperands] = {};

  // The number of elements that the vectorized kernel processes at a time: 16
  // bytes of the largest type, at most 8 elements.
  constexpr int pack_size() const {
    int largest = 2;
    for (int k = 0; k < noperands; ++k) {
      largest = item_sizes[k] > largest ? item_sizes[k] : largest;
    }
    return 16 / largest;
  }

  // The most packs that a thread reads of each operand before it computes:
  // fewer of many operands, which take as many registers together.
  constexpr int packs_per_thread() const { return noperands <= 3 ? 4 : 2; }
};

// Contiguous operands, or a single repeated element.
struct FlatParams {
  struct Operand {
    char* data;  // null: the immediate
    alignas(8) char immediate[8];
    bool repeated;
  };
  int64_t size;
  int thread_packs;  // up to ElementwiseTypes::packs_per_thread()
  Operand operands[kMaxOperands];
};

// Operands of any layout, small enough for 32-bit arithmetic.
struct StridedParams {
  struct Operand {
    char* data;  // null: the immediate
    alignas(8) char immediate[8];
    int32_t strides[kMaxDims];  // bytes
  };
  uint32_t size;
  int ndim;
  FastDivider extents[kMaxDims];
  Operand operands[kMaxOperands];
};

// Whether the vectorized kernel applies: one axis, contiguous, and addresses
// aligned to packs.
bool is_flat(const ElementwiseArgs& args, const ElementwiseTypes& types);
FlatParams make_flat_params(const ElementwiseArgs& args,
                            const ElementwiseTypes& types, int multiprocessors);
// The number of blocks of kBlockThreads that process them, each once.
int64_t flat_blocks(const FlatParams& params, const ElementwiseTypes& types);

// Whether indices and all operands' offsets fit 31 bits.
bool fits_32_bits(const ElementwiseArgs& args);
// Requires fits_32_bits(args).
StridedParams make_strided_params(const ElementwiseArgs& args);

// Calls `visit` with args, or with parts of them that fit 32 bits.
void visit_32_bit_parts(
    const ElementwiseArgs& args,
    absl::FunctionRef<void(const ElementwiseArgs& part)> visit);

}  // namespace catena::cuda
