#include "catena/functions/array/internal/columns.h"

#include <algorithm>

#include "catena/array/creation.h"

namespace catena::functions {
namespace {

// The position of x in its padded copy, which every window fits into.
struct Frame {
  Shape shape;
  int64_t offset = 0;  // of x, in bytes, as are the strides
  Strides strides;
};

Frame frame_of(const Shape& image, int64_t itemsize, const Window& window,
               const Shape& out_size) {
  Frame frame{.shape = image, .strides = {}};
  for (int i = 0; i < window.ksize.size(); ++i) {
    const int64_t reach = (out_size[i] - 1) * window.stride[i] +
                          (window.ksize[i] - 1) * window.dilate[i] + 1;
    frame.shape[i + 2] = std::max(window.pad[i] + image[i + 2], reach);
  }
  frame.strides = contiguous_strides(frame.shape, itemsize);
  for (int i = 0; i < window.ksize.size(); ++i) {
    frame.offset += window.pad[i] * frame.strides[i + 2];
  }
  return frame;
}

// A view at `offset` bytes from the first element of a contiguous array.
Array view(const Array& a, const Shape& shape, const Strides& strides,
           int64_t offset) {
  return Array(a.storage(), a.dtype(), shape, strides,
               a.raw_data() - a.storage()->data() + offset);
}

// Calls pair(seen, column) for each element of the window: the part of the
// padded image that it reads over all positions, and the matching part of the
// columns.
template <class Pair>
void for_each_element(const Array& padded, const Array& columns,
                      const Window& window, const Pair& pair) {
  const int ndim = window.ksize.size();
  const int64_t k = size_of(window.ksize);
  Shape shape = columns.shape();
  shape[1] /= k;
  Strides column_strides = columns.strides();
  const int64_t step = column_strides[1];
  column_strides[1] *= k;
  Strides seen_strides = padded.strides();
  for (int i = 0; i < ndim; ++i) seen_strides[i + 2] *= window.stride[i];
  for (int64_t element = 0; element < k; ++element) {
    int64_t offset = 0;
    int64_t rest = element;
    for (int i = ndim - 1; i >= 0; --i) {
      offset +=
          rest % window.ksize[i] * window.dilate[i] * padded.strides()[i + 2];
      rest /= window.ksize[i];
    }
    pair(view(padded, shape, seen_strides, offset),
         view(columns, shape, column_strides, element * step));
  }
}

}  // namespace

Array image_to_columns(const Array& x, const Window& window,
                       const Shape& out_size) {
  Shape shape = {x.shape()[0], x.shape()[1] * size_of(window.ksize)};
  for (const int64_t extent : out_size) shape.push_back(extent);
  const Array columns = array::empty(shape, x.dtype(), x.device());
  if (columns.size() == 0) return columns;
  const Frame frame = frame_of(x.shape(), x.itemsize(), window, out_size);
  Array padded;
  if (frame.shape == x.shape()) {
    padded = x.contiguous();
  } else {
    padded = array::zeros(frame.shape, x.dtype(), x.device());
    view(padded, x.shape(), frame.strides, frame.offset).assign(x);
  }
  for_each_element(
      padded, columns, window,
      [](const Array& seen, const Array& column) { column.assign(seen); });
  return columns;
}

Array columns_to_image(const Array& columns, const Window& window,
                       const Shape& size) {
  Shape shape = {columns.shape()[0],
                 columns.shape()[1] / size_of(window.ksize)};
  for (const int64_t extent : size) shape.push_back(extent);
  const Dtype dtype =
      columns.itemsize() == 2 ? Dtype::kFloat32 : columns.dtype();
  const Frame frame =
      frame_of(shape, item_size(dtype), window, spatial_of(columns.shape()));
  const Array padded = array::zeros(frame.shape, dtype, columns.device());
  if (columns.size() != 0) {
    for_each_element(
        padded, columns.contiguous(), window,
        [](const Array& seen, const Array& column) { seen += column; });
  }
  return view(padded, shape, frame.strides, frame.offset)
      .astype(columns.dtype(), Array::CopyPolicy::kIfNeeded)
      .contiguous();
}

}  // namespace catena::functions
