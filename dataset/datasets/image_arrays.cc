#include "catena/dataset/datasets/image_arrays.h"

#include "catena/array/error.h"

namespace catena::datasets {
namespace {

Array shaped(const Array& images, const ImageFormat& format,
             std::string_view operation) {
  const Shape& shape = images.shape();
  if (format.rgb_format && format.ndim != 3) {
    raise<ValueError>(operation, ": expected ndim 3 with rgb_format, got ",
                      format.ndim);
  }
  switch (format.ndim) {
    case 1:
      return images.reshape({shape[0], shape[1] * shape[2]});
    case 2:
      return images;
    case 3:
      return images.reshape({shape[0], 1, shape[1], shape[2]});
  }
  raise<ValueError>(operation, ": expected ndim 1, 2 or 3, got ", format.ndim);
}

}  // namespace

TupleDataset image_dataset(const Array& images, const Array& labels,
                           double largest, const ImageFormat& format,
                           std::string_view operation) {
  const Array view = shaped(images, format, operation);
  Array x = view.astype(format.dtype);
  x *= format.scale / largest;
  if (format.rgb_format) {
    Shape rgb = x.shape();
    rgb[1] = 3;
    x = x.broadcast_to(rgb).copy();
  }
  if (!format.withlabel) return TupleDataset(x);
  return TupleDataset(x, labels.astype(format.label_dtype));
}

}  // namespace catena::datasets
