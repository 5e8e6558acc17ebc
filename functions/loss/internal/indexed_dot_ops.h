#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/functions/engines/blocks/block_args.h"
#include "catena/functions/loss/internal/row_labels.h"

// The block functors of indexed_dot, of T(g, x, W) = sum over i, k of g[i, k]
// x[i] . W[indices[i, k]]: each is the derivative of T with respect to one of
// the three, so all higher derivatives are again these functors.
namespace catena::functions {

struct IndexedArgs {
  RowLabels indices;  // (rows, count)
  int64_t count;
  int64_t width;  // of the vectors
};

// dT / dg; one item per row of x.
struct IndexedDotOp : IndexedArgs {
  static constexpr std::string_view kName = "indexed_dot";

  const void* x;
  const void* W;
  void* y;

  template <class Block>
  CATENA_HOST_DEVICE void operator()(const Block& block) const {
    using Stored = typename Block::Stored;
    using Element = typename Block::Element;
    const auto* row = static_cast<const Stored*>(x) + block.index() * width;
    const auto* vectors = static_cast<const Stored*>(W);
    auto* out = static_cast<Stored*>(y) + block.index() * count;
    for (int64_t k = 0; k < count; ++k) {
      const int64_t v = indices[block.index() * count + k];
      Element dot(0);
      if (v >= 0) {
        dot = block.sum(
            width, [](auto a, auto b) { return a * b; }, row,
            vectors + v * width);
      }
      block.write(out + k, dot);
    }
  }
};

// dT / dx; one item per row of x.
struct IndexedSumOp : IndexedArgs {
  static constexpr std::string_view kName = "gradient of indexed_dot";

  const void* g;
  const void* W;
  void* gx;

  template <class Block>
  CATENA_HOST_DEVICE void operator()(const Block& block) const {
    using Stored = typename Block::Stored;
    using Element = typename Block::Element;
    using Term = typename Block::Term;
    const int64_t first = block.index() * count;
    const auto* weights = static_cast<const Stored*>(g) + first;
    const auto* vectors = static_cast<const Stored*>(W);
    block.combine(
        width, static_cast<Stored*>(gx) + block.index() * width, count,
        [&](int64_t k) {
          const int64_t v = indices[first + k];
          if (v < 0) return Term{nullptr, Element(0)};
          return Term{vectors + v * width, static_cast<Element>(weights[k])};
        });
  }
};

// dT / dW; one item per row of W. Adjacent rows, such as those of frequent
// words, go to different threads.
struct IndexedScatterOp {
  static constexpr std::string_view kName = "gradient of indexed_dot";
  static constexpr int64_t kStrands = 64;

  const int32_t* starts;     // (rows of W + 1), into positions
  const int32_t* positions;  // in g, by the index there
  int32_t count;
  int64_t width;
  int64_t rows;  // of W
  const void* g;
  const void* x;
  void* gW;

  static constexpr int64_t blocks(int64_t rows) {
    return (rows + kStrands - 1) / kStrands * kStrands;
  }

  template <class Block>
  CATENA_HOST_DEVICE void operator()(const Block& block) const {
    using Stored = typename Block::Stored;
    using Element = typename Block::Element;
    using Term = typename Block::Term;
    const int64_t strand_length = (rows + kStrands - 1) / kStrands;
    const int64_t v = block.index() % strand_length * kStrands +
                      block.index() / strand_length;
    if (v >= rows) return;
    const auto* weights = static_cast<const Stored*>(g);
    const auto* vectors = static_cast<const Stored*>(x);
    const int32_t* own = positions + starts[v];
    block.combine(width, static_cast<Stored*>(gW) + v * width,
                  starts[v + 1] - starts[v], [&](int64_t k) {
                    const int32_t p = own[k];
                    return Term{vectors + p / count * width,
                                static_cast<Element>(weights[p])};
                  });
  }
};

using IndexedDotOps = TypeList<IndexedDotOp, IndexedSumOp, IndexedScatterOp>;

}  // namespace catena::functions
