#include <algorithm>
#include <optional>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/caffe/layer_builders.h"
#include "catena/caffe/net.pb.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/array/tile.h"
#include "catena/functions/array/transpose.h"

namespace catena::caffe {
namespace {

namespace F = functions;

constexpr LayerCost kFree = {.per_output = 0};

// The axis, given by its new name or, if any, its old name.
template <class Params>
int64_t axis_param(const Params& params, const char* old_name,
                   std::optional<int64_t> old_axis) {
  if (!old_axis) return params.axis();
  if (params.has_axis()) {
    raise<ValueError>("axis and ", old_name, " are both given");
  }
  if (*old_axis >= kMaxDims) {
    raise<ValueError>(old_name, ": expected an axis below ", kMaxDims, ", got ",
                      *old_axis);
  }
  return *old_axis;
}

template <class Numbers>
std::vector<int64_t> to_vector(const Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}

// The shape with the extents of [begin, end) replaced. At most one new extent
// is -1 and is inferred.
Shape replaced(const Shape& shape, int begin, int end,
               const std::vector<int64_t>& dims) {
  std::vector<int64_t> result(shape.begin(), shape.begin() + begin);
  const int64_t size = extent_product(shape, 0, shape.ndim());
  int64_t known = 1;
  const auto take = [&](int64_t extent) {
    if (extent > 0 && known > size / extent) {
      raise<ValueError>("expected extents for the ", size,
                        " elements of a bottom of shape ", shape);
    }
    known *= extent;
    result.push_back(extent);
  };
  for (const int64_t extent : result) known *= extent;
  size_t inferred = shape.ndim() + dims.size();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1) {
      inferred = result.size();
      result.push_back(1);
    } else if (dims[i] != 0) {
      take(dims[i]);
    } else if (begin + static_cast<int64_t>(i) < shape.ndim()) {
      take(shape[begin + static_cast<int>(i)]);
    } else {
      raise<ValueError>("shape: dim ", i,
                        " is 0, but the bottom has no such axis: ", shape);
    }
  }
  for (int i = end; i < shape.ndim(); ++i) take(shape[i]);
  if (inferred < result.size() && known > 0) {
    result[inferred] = size / known;
    known *= size / known;
  }
  if (known != size || result.size() > kMaxDims) {
    raise<ValueError>("expected extents for the ", size,
                      " elements of a bottom of shape ", shape);
  }
  return Shape(result);
}

}  // namespace

Layer build_concat(const LayerDefinition& definition,
                   const BuildOptions& options) {
  const ConcatParameter& params = definition.message->concat_param();
  std::optional<int64_t> concat_dim;
  if (params.has_concat_dim()) concat_dim = params.concat_dim();
  const int64_t axis = axis_param(params, "concat_dim", concat_dim);
  return {.forward = [axis, max_elements = options.max_elements](
                         const Variables& xs, Link* /*link*/) -> Variables {
            const int own = axis_among(axis, xs[0].ndim());
            Shape shape = xs[0].shape();
            for (size_t i = 1; i < xs.size(); ++i) {
              if (xs[i].ndim() == shape.ndim())
                shape[own] += xs[i].shape()[own];
            }
            check_size(shape, max_elements);
            return {F::concat(xs, {.axis = own})};
          },
          .cost = kFree};
}

Layer build_slice(const LayerDefinition& definition, const BuildOptions&) {
  const SliceParameter& params = definition.message->slice_param();
  std::optional<int64_t> slice_dim;
  if (params.has_slice_dim()) slice_dim = params.slice_dim();
  const int64_t axis = axis_param(params, "slice_dim", slice_dim);
  const std::vector<int64_t> points = to_vector(params.slice_point());
  const auto tops = static_cast<int64_t>(definition.tops.size());
  if (!points.empty() && static_cast<int64_t>(points.size()) != tops - 1) {
    raise<ValueError>("slice_point: expected one less than the ", tops,
                      " tops, got ", points.size());
  }
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i] <= (i == 0 ? 0 : points[i - 1])) {
      raise<ValueError>(
          "slice_point: expected positive, ascending numbers, got ", points[i],
          " at position ", i);
    }
  }
  return {
      .forward = [=](const Variables& bottoms, Link* /*link*/) -> Variables {
        const Variable& x = bottoms[0];
        const int own = axis_among(axis, x.ndim());
        const int64_t extent = x.shape()[own];
        if (points.empty()) {
          if (extent % tops != 0) {
            raise<ValueError>("cannot cut ", extent, " along axis ", own,
                              " into ", tops, " equal parts");
          }
          return F::split_axis(x, tops, own);
        }
        if (points.back() >= extent) {
          raise<ValueError>("slice_point: expected numbers below ", extent,
                            ", got ", points.back());
        }
        return F::split_axis(x, points, own);
      },
      .cost = kFree};
}

Layer build_split(const LayerDefinition& definition, const BuildOptions&) {
  return {
      .forward = [count = definition.tops.size()](
                     const Variables& bottoms,
                     Link* /*link*/) { return Variables(count, bottoms[0]); },
      .cost = kFree};
}

Layer build_flatten(const LayerDefinition& definition, const BuildOptions&) {
  const FlattenParameter& params = definition.message->flatten_param();
  return unary_layer(
      [axis = params.axis(), end_axis = params.end_axis()](const Variable& x) {
        const int begin = axis_among(axis, x.ndim());
        const int end = axis_among(end_axis, x.ndim()) + 1;
        if (end <= begin) {
          raise<ValueError>("end_axis: expected at least axis ", begin,
                            ", got ", end - 1);
        }
        return F::reshape(x, replaced(x.shape(), begin, end, {-1}));
      },
      kFree);
}

Layer build_reshape(const LayerDefinition& definition, const BuildOptions&) {
  const ReshapeParameter& params = definition.message->reshape_param();
  const std::vector<int64_t> dims = to_vector(params.shape().dim());
  const int64_t axis = params.axis();
  const int64_t num_axes = params.num_axes();
  if (std::count(dims.begin(), dims.end(), -1) > 1) {
    raise<ValueError>("shape: expected at most one dim of -1");
  }
  for (const int64_t dim : dims) {
    if (dim < -1) raise<ValueError>("shape: expected no dim of ", dim);
  }
  if (num_axes < -1) {
    raise<ValueError>("num_axes: expected at least -1, got ", num_axes);
  }
  return unary_layer(
      [=](const Variable& x) {
        // ndim + 1, since the position after the last axis is also valid.
        const int begin = axis_among(axis, x.ndim() + 1);
        const int64_t end = num_axes < 0 ? x.ndim() : begin + num_axes;
        if (end > x.ndim()) {
          raise<ValueError>("num_axes: axis ", begin, " and ", num_axes,
                            " more are too many for shape ", x.shape());
        }
        return F::reshape(
            x, replaced(x.shape(), begin, static_cast<int>(end), dims));
      },
      kFree);
}

Layer build_crop(const LayerDefinition& definition, const BuildOptions&) {
  const CropParameter& params = definition.message->crop_param();
  return {
      .forward = [axis = params.axis(), offsets = to_vector(params.offset())](
                     const Variables& bottoms, Link* /*link*/) -> Variables {
        const Variable& x = bottoms[0];
        const Shape& like = bottoms[1].shape();
        const int begin = axis_among(axis, x.ndim());
        const auto cropped = static_cast<size_t>(x.ndim() - begin);
        if (like.ndim() != x.ndim() ||
            (offsets.size() > 1 && offsets.size() != cropped)) {
          raise<ValueError>(
              "expected bottoms with the same number of axes and an offset "
              "for each of the last ",
              cropped, ", got shapes ", x.shape(), " and ", like, " and ",
              offsets.size(), " offsets");
        }
        std::vector<Index> indexes(static_cast<size_t>(begin), Slice());
        for (size_t i = 0; i < cropped; ++i) {
          const int at = begin + static_cast<int>(i);
          const int64_t offset =
              offsets.empty() ? 0 : offsets[offsets.size() == 1 ? 0 : i];
          if (offset + like[at] > x.shape()[at]) {
            raise<ValueError>("offset: cannot take ", like[at],
                              " elements from position ", offset, " of axis ",
                              at, " of shape ", x.shape());
          }
          indexes.push_back(Slice(offset, offset + like[at]));
        }
        return {F::get_item(x, std::span<const Index>(indexes))};
      },
      .cost = kFree};
}

Layer build_permute(const LayerDefinition& definition, const BuildOptions&) {
  const std::vector<int64_t> order =
      to_vector(definition.message->permute_param().order());
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= kMaxDims ||
        std::count(order.begin(), order.end(), order[i]) > 1) {
      raise<ValueError>("order: expected different axes below ", kMaxDims,
                        ", got ", order[i], " at position ", i);
    }
  }
  return unary_layer(
      [order](const Variable& x) {
        Axes axes;
        for (const int64_t axis : order) {
          axes.push_back(axis_among(axis, x.ndim()));
        }
        // The remaining axes follow in order.
        for (int axis = 0; axis < x.ndim(); ++axis) {
          if (!axes.contains(axis)) axes.push_back(axis);
        }
        return F::transpose(x, axes);
      },
      kFree);
}

Layer build_tile(const LayerDefinition& definition,
                 const BuildOptions& options) {
  const TileParameter& params = definition.message->tile_param();
  const int64_t tiles = params.tiles();
  if (tiles < 1) {
    raise<ValueError>("tiles: expected a positive number, got ", tiles);
  }
  return unary_layer(
      [tiles, axis = params.axis(),
       max_elements = options.max_elements](const Variable& x) {
        Shape reps = Shape::filled(x.ndim(), 1);
        const int own = axis_among(axis, x.ndim());
        reps[own] = tiles;
        check_size({x.size(), tiles}, max_elements);
        return F::tile(x, reps);
      },
      kFree);
}

}  // namespace catena::caffe
