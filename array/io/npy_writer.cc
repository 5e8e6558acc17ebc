#include "catena/array/io/npy_writer.h"

#include <limits>
#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/io/npy_header.h"

namespace catena::array {
namespace {

Shape with_rows(int64_t rows, const Shape& row_shape) {
  Shape shape = {rows};
  for (const int64_t extent : row_shape) shape.push_back(extent);
  return shape;
}

void check_row_shape(const Shape& row_shape, Dtype dtype) {
  if (row_shape.ndim() >= kMaxDims) {
    raise<ShapeError>("NpyWriter: expected rows of at most ", kMaxDims - 1,
                      " dimensions, got shape ", row_shape);
  }
  checked_size(row_shape, item_size(dtype), "NpyWriter");
}

}  // namespace

NpyWriter::NpyWriter(const std::string& path, Dtype dtype,
                     const Shape& row_shape) try
    : dtype_(dtype),
      row_shape_((check_row_shape(row_shape, dtype), row_shape)),
      descr_(npy_descr(dtype, "NpyWriter")),
      file_(path, "NpyWriter") {
  file_.write(header(0));
} catch (const std::bad_alloc&) {
  raise_out_of_memory("NpyWriter");
}

void NpyWriter::write(const Array& rows) try {
  rows.check_dtype(dtype_, "NpyWriter::write");
  const Shape expected =
      with_rows(rows.ndim() > 0 ? rows.shape()[0] : 0, row_shape_);
  if (rows.shape() != expected) {
    raise<ShapeError>("NpyWriter::write: expected shape ",
                      with_rows(-1, row_shape_), " with any first extent, got ",
                      rows.shape());
  }
  const Array host = rows.to_device(native_device()).contiguous();
  file_.write({host.raw_data(), static_cast<size_t>(host.nbytes())});
  rows_ += rows.shape()[0];
} catch (const std::bad_alloc&) {
  raise_out_of_memory("NpyWriter");
}

void NpyWriter::commit() try {
  file_.overwrite(0, header(rows_));
  file_.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("NpyWriter");
}

// The length is the same for any number of rows.
std::string NpyWriter::header(int64_t rows) const {
  const auto longest = static_cast<int64_t>(
      npy_header(descr_,
                 with_rows(std::numeric_limits<int64_t>::max(), row_shape_))
          .size());
  return npy_header(descr_, with_rows(rows, row_shape_), longest);
}

}  // namespace catena::array
