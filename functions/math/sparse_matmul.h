#pragma once

#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/math/matmul.h"

namespace catena::functions {

// A sparse matrix by its elements: data[i] stands at (row[i], col[i]), and
// those of one place add up; the others are 0. With (B, nnz) elements, a batch
// of matrices. Elements whose row or col is negative do not count: they fill up
// a batch.
struct CooMatrix {
  Variable data;
  Array row;
  Array col;
  Shape shape;  // (m, n), also in a batch
};

// The elements of a dense (m, n) or (B, m, n) that are not 0, for B of them
// filled up to the number that the fullest has, or to `nnz`. ValueError when it
// has more than that, ShapeError for other numbers of axes.
CooMatrix to_coo(const Array& x, std::optional<int64_t> nnz = std::nullopt);

// The matrix product y = a b with one sparse operand: (m, k) by (k, n),
// or a batch of both. Floating, of one dtype; data and the dense operand get
// gradients. InvalidType when dtypes or shapes do not fit, IndexError for an
// element outside the matrix.
Variable sparse_matmul(const CooMatrix& a, const Variable& b,
                       const MatmulOptions& options = {});
Variable sparse_matmul(const Variable& a, const CooMatrix& b,
                       const MatmulOptions& options = {});

}  // namespace catena::functions
