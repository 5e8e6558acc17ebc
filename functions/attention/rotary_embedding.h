#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

// How Llama 3 stretches the waves of rotary_tables: those longer than
// original_context / low_frequency_factor are `factor` times as long, those
// shorter than original_context / high_frequency_factor are as they were, and
// between them is a linear passage of frequencies.
struct RotaryScaling {
  NamedFieldsOnly keywords = {};
  double factor = 8;
  double low_frequency_factor = 1;
  double high_frequency_factor = 4;
  int64_t original_context = 8192;
};

struct RotaryTablesOptions {
  NamedFieldsOnly keywords = {};
  double base = 10000;
  std::optional<RotaryScaling> scaling = std::nullopt;
  Dtype dtype = Dtype::kFloat32;
};

// The cosines and sines of the angles position base^(-2 i / size), for i from 0
// to size / 2 - 1 along the last axis: one pair of tables for queries and keys
// of all layers.
struct RotaryTables {
  Array cos;
  Array sin;
};

// Tables (..., size / 2) of positions (...), integers, which the host reads;
// the tables are on the current device. Throws DtypeError unless positions are
// integers and the tables' dtype is float32 or float64; ValueError unless size
// is positive and even, base positive, and with scaling factors positive and
// different.
RotaryTables rotary_tables(const Array& positions, int64_t size,
                           const RotaryTablesOptions& options = {});

struct RotaryEmbeddingOptions {
  NamedFieldsOnly keywords = {};
  // Whether a pair is of neighbours, 2 i and 2 i + 1, as in the paper and
  // GPT-J; otherwise of i and i + size / 2, as in Llama and GPT-NeoX.
  bool interleaved = false;
};

// Turns pairs of the first `size` elements of each head by the tables' angles:
// (x1, x2) gives (x1 cos - x2 sin, x1 sin + x2 cos). x and y are (..., T, d),
// floating, with d at least size; the tables (T, size / 2), or with further
// axes that broadcast to those of x, such as (B, 1, T, size / 2) for x
// (B, H, T, d). They are float64 if x is, else float32.
//
// Throws InvalidType when shapes or dtypes do not match.
//
// Su et al.: RoFormer: Enhanced Transformer with Rotary Position Embedding,
// 2021.
Variable rotary_embedding(const Variable& x, const RotaryTables& tables,
                          const RotaryEmbeddingOptions& options = {});

}  // namespace catena::functions
