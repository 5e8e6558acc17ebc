#include "catena/caffe/window_params.h"

#include <optional>
#include <vector>

#include "catena/array/core/error.h"

namespace catena::caffe {
namespace {

using google::protobuf::RepeatedField;

// The values of a list field, or a single given number.
struct WindowField {
  const char* name;
  std::vector<int64_t> list;
  // The alternative fields for two axes.
  const char* height = "";
  const char* width = "";
  std::vector<int64_t> by_axis = {};
  // The default; without one, a value is required.
  std::optional<int64_t> otherwise = std::nullopt;
  int64_t min = 1;
};

std::vector<int64_t> numbers(const RepeatedField<uint32_t>& field) {
  return {field.begin(), field.end()};
}
std::vector<int64_t> number_if(bool is_given, int64_t value) {
  return is_given ? std::vector{value} : std::vector<int64_t>();
}

std::vector<int64_t> kernel_list(const ConvolutionParameter& params) {
  return numbers(params.kernel_size());
}
std::vector<int64_t> kernel_list(const PoolingParameter& params) {
  return number_if(params.has_kernel_size(), params.kernel_size());
}
std::vector<int64_t> stride_list(const ConvolutionParameter& params) {
  return numbers(params.stride());
}
std::vector<int64_t> stride_list(const PoolingParameter& params) {
  return number_if(params.has_stride(), params.stride());
}
std::vector<int64_t> pad_list(const ConvolutionParameter& params) {
  return numbers(params.pad());
}
std::vector<int64_t> pad_list(const PoolingParameter& params) {
  return number_if(params.has_pad(), params.pad());
}

std::vector<int64_t> pair_if(bool is_given, int64_t height, int64_t width) {
  return is_given ? std::vector{height, width} : std::vector<int64_t>();
}

Shape window_size(const WindowField& field, int ndim) {
  std::vector<int64_t> values = field.list;
  if (!field.by_axis.empty()) {
    if (!values.empty()) {
      raise<ValueError>(field.name, " and ", field.height, " or ", field.width,
                        " are both given");
    }
    if (ndim != 2) {
      raise<ValueError>(field.height, " and ", field.width,
                        " are for 2 spatial axes, but there are ", ndim);
    }
    values = field.by_axis;
  }
  if (values.empty()) {
    if (!field.otherwise) raise<ValueError>("no ", field.name, " is given");
    values = {*field.otherwise};
  }
  if (values.size() == 1) values.resize(static_cast<size_t>(ndim), values[0]);
  if (values.size() != static_cast<size_t>(ndim)) {
    raise<ValueError>(field.name, ": expected one number for each of ", ndim,
                      " spatial axes, or one for all, got ", values.size());
  }
  for (const int64_t value : values) {
    if (value < field.min || value > INT32_MAX) {
      raise<ValueError>(field.by_axis.empty() ? field.name : field.height,
                        ": expected numbers from ", field.min,
                        " to 2147483647, got ", value);
    }
  }
  return Shape(values);
}

}  // namespace

template <class Params>
Shape window_kernel(const Params& params, int ndim) {
  return window_size(
      {.name = "kernel_size",
       .list = kernel_list(params),
       .height = "kernel_h",
       .width = "kernel_w",
       .by_axis = pair_if(params.has_kernel_h() || params.has_kernel_w(),
                          params.kernel_h(), params.kernel_w())},
      ndim);
}
template Shape window_kernel(const ConvolutionParameter& params, int ndim);
template Shape window_kernel(const PoolingParameter& params, int ndim);

template <class Params>
Shape window_stride(const Params& params, int ndim) {
  return window_size(
      {.name = "stride",
       .list = stride_list(params),
       .height = "stride_h",
       .width = "stride_w",
       .by_axis = pair_if(params.has_stride_h() || params.has_stride_w(),
                          params.stride_h(), params.stride_w()),
       .otherwise = 1},
      ndim);
}
template Shape window_stride(const ConvolutionParameter& params, int ndim);
template Shape window_stride(const PoolingParameter& params, int ndim);

template <class Params>
Shape window_pad(const Params& params, int ndim) {
  return window_size(
      {.name = "pad",
       .list = pad_list(params),
       .height = "pad_h",
       .width = "pad_w",
       .by_axis = pair_if(params.has_pad_h() || params.has_pad_w(),
                          params.pad_h(), params.pad_w()),
       .otherwise = 0,
       .min = 0},
      ndim);
}
template Shape window_pad(const ConvolutionParameter& params, int ndim);
template Shape window_pad(const PoolingParameter& params, int ndim);

Shape window_dilation(const ConvolutionParameter& params, int ndim) {
  return window_size(
      {.name = "dilation", .list = numbers(params.dilation()), .otherwise = 1},
      ndim);
}

}  // namespace catena::caffe
