#include "catena/caffe/layer.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"

namespace catena::caffe {
namespace {

std::span<const int64_t> without_leading_ones(const Shape& shape) {
  const int64_t* first = shape.begin();
  while (first != shape.end() && *first == 1) ++first;
  return {first, shape.end()};
}

}  // namespace

Layer unary_layer(std::function<Variable(const Variable&)> function,
                  const LayerCost& cost) {
  return {.forward =
              [function = std::move(function)](const Variables& bottoms,
                                               Link* /*link*/) {
                return Variables{function(bottoms[0])};
              },
          .cost = cost};
}

void expect_blobs(const LayerDefinition& definition, size_t count) {
  if (definition.blobs.size() != count) {
    raise<ValueError>("expected ", count, " blobs of parameters, got ",
                      definition.blobs.size());
  }
}

void expect_blob_shape(const LayerDefinition& definition, size_t index,
                       const Shape& expected) {
  const Shape& shape = definition.blobs[index].shape;
  const auto own = without_leading_ones(shape);
  const auto other = without_leading_ones(expected);
  if (!std::equal(own.begin(), own.end(), other.begin(), other.end())) {
    raise<ValueError>("blobs[", index, "]: expected shape ", expected, ", got ",
                      shape);
  }
}

int axis_among(int64_t axis, int ndim) {
  if (axis < -ndim || axis >= ndim) {
    raise<ValueError>("axis ", axis, " is out of range for ", ndim, " axes");
  }
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

int64_t extent_product(const Shape& shape, int begin, int end) {
  int64_t result = 1;
  for (int i = begin; i < end; ++i) result *= shape[i];
  return result;
}

void check_size(const Shape& shape, int64_t max_elements) {
  int64_t size = 1;
  for (const int64_t extent : shape) {
    if (extent != 0 && size > max_elements / extent) {
      raise<ValueError>("a top of shape ", shape, " exceeds the limit of ",
                        max_elements, " elements");
    }
    size *= extent;
  }
}

Array labels_of(const Variable& labels, const Shape& shape) {
  if (labels.size() != checked_size(shape, 1, "labels")) {
    raise<ValueError>("expected labels for the positions ", shape,
                      ", got labels of shape ", labels.shape());
  }
  return labels.data()
      .astype(Dtype::kInt32, Array::CopyPolicy::kIfNeeded)
      .reshape(shape);
}

}  // namespace catena::caffe
