#pragma once

#include <cstdint>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/atomic_file.h"

namespace catena::array {

// Writes a .npy file piece by piece along the first axis, for arrays that do
// not fit into memory. The file appears with commit(), complete, or not at all.
class NpyWriter {
 public:
  // For an array of shape (n, *row_shape) whose n is not known yet. DtypeError
  // for bfloat16; ShapeError; IoError when no file can be created there.
  NpyWriter(const std::string& path, Dtype dtype, const Shape& row_shape);

  // Appends an array of shape (k, *row_shape). ShapeError, DtypeError unless it
  // has the dtype, IoError.
  void write(const Array& rows);
  // Call once, after the last write. IoError.
  void commit();

  // How many rows were written.
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
