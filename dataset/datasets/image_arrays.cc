#include "catena/dataset/datasets/image_arrays.h"

#include <algorithm>

#include "catena/array/core/error.h"

namespace catena::datasets {
namespace {

Array shaped(const Array& images, const ImageFormat& format,
             std::string_view operation) {
  const Shape& shape = images.shape();
  if (format.rgb_format && format.ndim != 3) {
    raise<ValueError>(operation, ": expected ndim 3 with rgb_format, got ",
                      format.ndim);
  }
  if (images.ndim() == 4) {
    if (format.ndim == 3) return images;
    if (format.ndim == 1) return images.reshape({shape[0], -1});
    raise<ValueError>(operation, ": expected ndim 1 or 3, got ", format.ndim);
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

void check_labels(const Array& labels, int classes, std::string_view where) {
  const Array all = labels.contiguous();
  const auto* begin = all.data<uint8_t>();
  const auto* end = begin + all.size();
  const auto* bad =
      std::find_if(begin, end, [&](int label) { return label >= classes; });
  if (bad != end) {
    raise<IoError>(where, ": expected labels below ", classes, ", got ",
                   int{*bad}, " at ", bad - begin);
  }
}

}  // namespace catena::datasets
