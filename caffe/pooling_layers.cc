#include <algorithm>
#include <limits>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/caffe/layer_builders.h"
#include "catena/caffe/net.pb.h"
#include "catena/caffe/window_params.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/pad.h"
#include "catena/functions/math/maximum.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/normalization/local_response_normalization.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"

namespace catena::caffe {
namespace {

namespace F = functions;

struct PoolingParams {
  bool is_max;
  bool is_global;
  bool ceil;
  Shape kernel;
  Shape stride;
  Shape pad;
};

// Caffe's windows along one axis.
struct WindowRow {
  int64_t size;  // of the image
  int64_t kernel;
  int64_t stride;
  int64_t pad;
  int64_t count;  // of the windows

  // The number of kernel positions on the padded image, without those beyond
  // its end; 0 if the window starts beyond it.
  int64_t places(int64_t window) const {
    const int64_t begin = window * stride;
    const int64_t end = std::min(begin + kernel, size + 2 * pad);
    return std::max<int64_t>(end - begin, 0);
  }
  // How far the last window extends beyond the padded image.
  int64_t overhang() const {
    return std::max<int64_t>((count - 1) * stride + kernel - (size + 2 * pad),
                             0);
  }
  bool is_last_empty() const { return (count - 1) * stride >= size + pad; }
};

WindowRow window_row(const PoolingParams& params, int64_t size, int axis) {
  WindowRow row = {.size = size,
                   .kernel = params.is_global ? size : params.kernel[axis],
                   .stride = params.stride[axis],
                   .pad = params.pad[axis],
                   .count = 0};
  const int64_t room = size + 2 * row.pad - row.kernel;
  if (row.kernel < 1 || room < 0) {
    raise<ValueError>("a window of ", row.kernel, " does not fit into ", size,
                      " positions with pad ", row.pad);
  }
  row.count = (room + (params.ceil ? row.stride - 1 : 0)) / row.stride + 1;
  // With padding along either axis, no window starts beyond the image.
  const bool is_padded = params.pad[0] > 0 || params.pad[1] > 0;
  if (is_padded && (row.count - 1) * row.stride >= size + row.pad) --row.count;
  return row;
}

Variable cut(const Variable& y, int64_t height, int64_t width) {
  if (y.shape()[2] == height && y.shape()[3] == width) return y;
  return F::get_item(y, {Slice(), Slice(), Slice(0, height), Slice(0, width)});
}

Variable max_pooling(const Variable& x, const PoolingParams& params,
                     const WindowRow& h, const WindowRow& w, Array* indexes) {
  const Variable y =
      cut(F::max_pooling_2d(x, {h.kernel, w.kernel},
                            {.stride = F::Spatial{h.stride, w.stride},
                             .pad = {h.pad, w.pad},
                             .cover_all = params.ceil,
                             .return_indices = indexes}),
          h.count, w.count);
  if (!h.is_last_empty() && !w.is_last_empty()) return y;
  // Caffe's initial maximum, which is the result of an empty window.
  const float lowest = std::numeric_limits<float>::lowest();
  return F::maximum(y, as_variable(array::full_like(y.data(), lowest)));
}

// The correction factor along one axis for a mean over the whole kernel.
Array correction(const WindowRow& row, Device device) {
  std::vector<float> factors;
  for (int64_t i = 0; i < row.count; ++i) {
    factors.push_back(static_cast<float>(row.kernel) /
                      static_cast<float>(row.places(i)));
  }
  return array::array(factors, std::nullopt, device);
}

Variable average_pooling(const Variable& x, const WindowRow& h,
                         const WindowRow& w) {
  const F::Spatial kernel = {h.kernel, w.kernel};
  const F::Spatial stride = {h.stride, w.stride};
  if (h.overhang() == 0 && w.overhang() == 0) {
    return cut(F::average_pooling_2d(x, kernel,
                                     {.stride = stride, .pad = {h.pad, w.pad}}),
               h.count, w.count);
  }
  const Variable padded = F::pad(x, {{0, 0},
                                     {0, 0},
                                     {h.pad, h.pad + h.overhang()},
                                     {w.pad, w.pad + w.overhang()}});
  const Variable y =
      cut(F::average_pooling_2d(padded, kernel, {.stride = stride}), h.count,
          w.count);
  const Array factors = correction(h, x.device()).reshape({1, 1, h.count, 1}) *
                        correction(w, x.device()).reshape({1, 1, 1, w.count});
  return y * factors.astype(x.dtype(), Array::CopyPolicy::kIfNeeded);
}

// Converts positions in windows to positions in the image, floats in Caffe.
Variable mask_of(const Array& indexes, const Variable& x, const WindowRow& h,
                 const WindowRow& w) {
  const auto starts = [&](const WindowRow& row) {
    return (array::arange(row.count, Dtype::kInt32) * row.stride - row.pad)
        .to_device(x.device());
  };
  const Array taps =
      indexes[{Slice(), Slice(), Slice(0, h.count), Slice(0, w.count)}];
  const Array rows =
      array::floor_divide(taps, w.kernel) + starts(h).reshape({h.count, 1});
  const Array columns = taps % w.kernel + starts(w);
  return as_variable((rows * w.size + columns).astype(x.dtype()));
}

PoolingParams pooling_params(const PoolingParameter& params) {
  PoolingParams result;
  if (params.pool() == PoolingParameter::STOCHASTIC) {
    raise<ValueError>("pool: STOCHASTIC is not supported; expected MAX or AVE");
  }
  result.is_max = params.pool() == PoolingParameter::MAX;
  result.is_global = params.global_pooling();
  result.ceil = params.round_mode() == PoolingParameter::CEIL;
  result.stride = window_stride(params, 2);
  result.pad = window_pad(params, 2);
  if (result.is_global) {
    if (params.has_kernel_size() || params.has_kernel_h() ||
        params.has_kernel_w()) {
      raise<ValueError>("kernel_size: expected none with global_pooling");
    }
    if (result.pad != Shape{0, 0} || result.stride != Shape{1, 1}) {
      raise<ValueError>("global_pooling: expected pad 0 and stride 1, got ",
                        result.pad, " and ", result.stride);
    }
    return result;
  }
  result.kernel = window_kernel(params, 2);
  for (int i = 0; i < 2; ++i) {
    if (result.pad[i] >= result.kernel[i]) {
      raise<ValueError>("pad: expected less than the kernel's ", result.kernel,
                        ", got ", result.pad);
    }
  }
  return result;
}

}  // namespace

Layer build_pooling(const LayerDefinition& definition,
                    const BuildOptions& options) {
  const PoolingParams params =
      pooling_params(definition.message->pooling_param());
  const bool has_mask = definition.tops.size() == 2;
  if (has_mask && !params.is_max) {
    raise<ValueError>("expected one top for AVE, got 2");
  }
  const double places =
      params.is_global
          ? 0
          : static_cast<double>(extent_product(params.kernel, 0, 2));
  return {
      .forward = [=, max_elements = options.max_elements](
                     const Variables& bottoms, Link* /*link*/) -> Variables {
        const Variable& x = bottoms[0];
        if (x.ndim() != 4) {
          raise<ValueError>("expected a bottom of 4 axes, got shape ",
                            x.shape());
        }
        const WindowRow h = window_row(params, x.shape()[2], 0);
        const WindowRow w = window_row(params, x.shape()[3], 1);
        check_size({x.shape()[0], x.shape()[1], h.count, w.count},
                   max_elements);
        // Windows beyond the image are computed on a padded copy.
        check_size(
            {x.shape()[0], x.shape()[1], h.size + 2 * h.pad + h.overhang(),
             w.size + 2 * w.pad + w.overhang()},
            max_elements);
        if (!params.is_max) return {average_pooling(x, h, w)};
        Array indexes;
        const Variable y =
            max_pooling(x, params, h, w, has_mask ? &indexes : nullptr);
        if (!has_mask) return {y};
        return {y, mask_of(indexes, x, h, w)};
      },
      .cost = {.per_output = places, .per_input = places == 0 ? 1.0 : 0.0}};
}

Layer build_lrn(const LayerDefinition& definition,
                const BuildOptions& /*options*/) {
  const LRNParameter& params = definition.message->lrn_param();
  const int64_t size = params.local_size();
  const double alpha = params.alpha();
  const double beta = params.beta();
  const double k = params.k();
  if (size < 1 || size % 2 == 0 || size > INT32_MAX) {
    raise<ValueError>("local_size: expected an odd number of 31 bits, got ",
                      size);
  }
  if (params.norm_region() == LRNParameter::ACROSS_CHANNELS) {
    return unary_layer(
        [=](const Variable& x) {
          // A window larger than all channels has the same result as this one.
          const int64_t channels = x.ndim() > 1 ? x.shape()[1] : 1;
          return F::local_response_normalization(
              x, {.n = std::min(size, 2 * channels + 1),
                  .k = k,
                  .alpha = alpha / static_cast<double>(size),
                  .beta = beta});
        },
        {.per_output = static_cast<double>(2 * size)});
  }
  if (size > 1 << 15) {
    raise<ValueError>("local_size: expected at most 32767, got ", size);
  }
  return unary_layer(
      [=](const Variable& x) {
        const Variable mean = F::average_pooling_2d(
            x * x, size, {.stride = F::Spatial(1), .pad = (size - 1) / 2});
        return x * pow(mean * alpha + 1.0, -beta);
      },
      {.per_output = static_cast<double>(2 * size * size)});
}

}  // namespace catena::caffe
