#pragma once

#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/math/matmul.h"

namespace catena::functions {

// A sparse matrix in coordinate format: data[i] is at (row[i], col[i]);
// duplicates are summed. With (B, nnz) elements, a batch of matrices. Elements
// with a negative row or col are ignored: they pad a batch.
struct CooMatrix {
  Variable data;
  Array row;
  Array col;
  Shape shape;  // (m, n), even for a batch
};

// Converts a dense (m, n) or (B, m, n) to coordinate format, with nnz elements
// per matrix, by default the largest number of nonzero elements in any of them.
// Throws ValueError when a matrix has more than nnz, ShapeError for other
// numbers of axes.
CooMatrix to_coo(const Array& x, std::optional<int64_t> nnz = std::nullopt);

// The matrix product y = a b with one sparse operand: (m, k) times (k, n), or a
// batch of both. Both have the same floating dtype; data and the dense operand
// get gradients. Throws InvalidType when dtypes or shapes do not match,
// IndexError for an element outside the matrix.
Variable sparse_matmul(const CooMatrix& a, const Variable& b,
                       const MatmulOptions& options = {});
Variable sparse_matmul(const Variable& a, const CooMatrix& b,
                       const MatmulOptions& options = {});

}  // namespace catena::functions
