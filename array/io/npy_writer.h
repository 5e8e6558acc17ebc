#pragma once

#include <cstdint>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/atomic_file.h"

namespace catena::array {

// Writes a .npy file in pieces along the first axis, for arrays that do not fit
// in memory. The file appears atomically at commit().
class NpyWriter {
 public:
  // For an array of shape (n, *row_shape) with n not known yet. Throws
  // DtypeError for bfloat16, ShapeError, and IoError when the file cannot be
  // created.
  NpyWriter(const std::string& path, Dtype dtype, const Shape& row_shape);

  // Appends an array of shape (k, *row_shape). Throws ShapeError, DtypeError
  // for another dtype, IoError.
  void write(const Array& rows);
  // Call once, after the last write. Throws IoError.
  void commit();

  // The number of rows written.
  int64_t rows() const { return rows_; }

 private:
  std::string header(int64_t rows) const;

  Dtype dtype_;
  Shape row_shape_;
  std::string descr_;
  AtomicFile file_;
  int64_t rows_ = 0;
};

}  // namespace catena::array
