#pragma once

// Transformed weights, in panels of outputs, and products with them.

#include <algorithm>
#include <cstdint>

#include "catena/array/cpu/lane_vector.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/functions/connection/internal/winograd_convolution.h"
#include "catena/functions/connection/internal/winograd_matrices.h"
#include "catena/functions/connection/internal/winograd_tiles.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND::winograd {

// Baseline code for x86 may have no registers of several lanes.
#if HWY_TARGET != HWY_SCALAR

using array::winograd::kPanel;

// The weights of a convolution of `channels` inputs, or of its transpose.
struct Weights {
  const float* first;
  int64_t rows;      // outputs
  int64_t channels;  // inputs
  // The distances in floats between outputs and between inputs.
  int64_t row_step;
  int64_t channel_step;
  bool is_flipped;
};

// Reads 4 columns of 8 rows: registers of 8 floats, or pairs of 4.
using Half = hn::CappedTag<float, 8>;
inline constexpr int64_t kHalf = kFull >= 8 ? 8 : kFull;
using Eighth = hn::Vec<Half>;

template <class H>
HWY_INLINE hn::Vec<H> load_pair(H half, const float* const* rows) {
  const hn::FixedTag<float, 4> quarter;
  if constexpr (kHalf == 8) {
    return hn::Combine(half, hn::LoadU(quarter, rows[4]),
                       hn::LoadU(quarter, rows[0]));
  } else {
    return hn::LoadU(quarter, rows[0]);
  }
}

HWY_INLINE void load_transposed(const float* const* rows, Eighth* columns) {
  const Half half;
  Eighth r[4];
  for (int64_t i = 0; i < 4; ++i) r[i] = load_pair(half, rows + i);
  const Eighth a = hn::InterleaveLower(half, r[0], r[2]);
  const Eighth b = hn::InterleaveLower(half, r[1], r[3]);
  const Eighth e = hn::InterleaveUpper(half, r[0], r[2]);
  const Eighth f = hn::InterleaveUpper(half, r[1], r[3]);
  columns[0] = hn::InterleaveLower(half, a, b);
  columns[1] = hn::InterleaveUpper(half, a, b);
  columns[2] = hn::InterleaveLower(half, e, f);
  columns[3] = hn::InterleaveUpper(half, e, f);
}

// G w G^T for a panel of rows: (channels, kPanel) for each point, step floats
// apart.
inline void transform_panel(const Weights& weights, int64_t panel, float* to,
                            int64_t step) {
  const Half half;
  const float* first[kPanel];
  for (int64_t i = 0; i < kPanel; ++i) {
    // Rows beyond the last are never used.
    const int64_t row = std::min(panel * kPanel + i, weights.rows - 1);
    first[i] = weights.first + row * weights.row_step;
  }
  for (int64_t c = 0; c < weights.channels; ++c) {
    const float* rows[kPanel];
    const float* later[kPanel];
    const float* last[kPanel];
    for (int64_t i = 0; i < kPanel; ++i) {
      rows[i] = first[i] + c * weights.channel_step;
      later[i] = rows[i] + 4;
      last[i] = rows[i] + 5;
    }
    for (int64_t part = 0; part < kPanel / kHalf; ++part) {
      // The last columns overlap, so that nothing beyond W is read.
      Eighth w[9];
      Eighth last_columns[4];
      load_transposed(rows + 4 * part, w);
      load_transposed(later + 4 * part, w + 4);
      load_transposed(last + 4 * part, last_columns);
      w[8] = last_columns[3];
      Eighth transposed[kSeen][3];
      for (int64_t j = 0; j < 3; ++j) {
        const Eighth column[3] = {weights.is_flipped ? w[8 - j] : w[j],
                                  weights.is_flipped ? w[5 - j] : w[3 + j],
                                  weights.is_flipped ? w[2 - j] : w[6 + j]};
        Eighth u[kSeen];
        transform_weights(column, u);
        for (int64_t r = 0; r < kSeen; ++r) transposed[r][j] = u[r];
      }
      for (int64_t r = 0; r < kSeen; ++r) {
        Eighth u[kSeen];
        transform_weights(transposed[r], u);
        for (int64_t j = 0; j < kSeen; ++j) {
          hn::StoreU(u[j], half,
                     to + (r * kSeen + j) * step + c * kPanel + part * kHalf);
        }
      }
    }
  }
}

// C = A B, or C += A B: rows of A, interleaved in a panel, times full registers
// of B.
struct Product {
  int64_t depth;
  const float* a;  // kPanel floats for each step
  const float* b;
  int64_t ldb;
  float* c;
  int64_t ldc;
  bool is_added = false;
};

template <int kRegisters>
void multiply_panel(const Product& args) {
  // Sums are accumulated in registers: AVX-512 has 32 of them, the other
  // instruction sets 16.
  constexpr int kRows = kFull == 16 || kRegisters == 1 ? kPanel : kPanel / 2;
  const D d;
  for (int first = 0; first < kPanel; first += kRows) {
    float* const c = args.c + first * args.ldc;
    V sums[kRows][kRegisters];
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kRegisters; ++j) {
        sums[i][j] = args.is_added ? hn::LoadU(d, c + i * args.ldc + j * kFull)
                                   : hn::Zero(d);
      }
    }
    const float* a = args.a + first;
    const float* b = args.b;
    for (int64_t k = 0; k < args.depth; ++k, a += kPanel, b += args.ldb) {
      V right[kRegisters];
      for (int j = 0; j < kRegisters; ++j) {
        right[j] = hn::LoadU(d, b + j * kFull);
      }
      for (int i = 0; i < kRows; ++i) {
        const V left = hn::Set(d, a[i]);
        for (int j = 0; j < kRegisters; ++j) {
          sums[i][j] = hn::MulAdd(left, right[j], sums[i][j]);
        }
      }
    }
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kRegisters; ++j) {
        hn::StoreU(sums[i][j], d, c + i * args.ldc + j * kFull);
      }
    }
  }
}

// The product of a panel and `width` columns: 1 to 3 full registers.
inline void multiply_panel(const Product& args, int64_t width) {
  if (width == kFull) {
    multiply_panel<1>(args);
  } else if (width == 2 * kFull) {
    multiply_panel<2>(args);
  } else {
    multiply_panel<3>(args);
  }
}

// Panels of transformed weights.
struct Panels {
  const float* first;
  int64_t step;        // between points
  int64_t panel_step;  // between panels
};

#endif

}  // namespace catena::kernels::CATENA_BACKEND::winograd
