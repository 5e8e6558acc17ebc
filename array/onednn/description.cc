#include "catena/array/onednn/description.h"

#include "catena/array/core/error.h"

namespace catena::cpu::onednn {
namespace {

dnnl::memory::dims dims_of(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

bool is_dense(const Array& a) {
  if (a.is_contiguous()) return true;
  // From the innermost axis outwards.
  int64_t stride = a.itemsize();
  int64_t size = 1;
  while (size < a.size()) {
    int axis = 0;
    while (axis < a.ndim() &&
           (a.shape()[axis] == 1 || a.strides()[axis] != stride)) {
      ++axis;
    }
    if (axis == a.ndim()) return false;
    stride *= a.shape()[axis];
    size *= a.shape()[axis];
  }
  return true;
}

}  // namespace

bool computes_in(Dtype dtype) {
  if (dtype == Dtype::kFloat32) return true;
  if (dtype != Dtype::kBFloat16) return false;
  // The value of an instruction set includes the bits of all its subsets.
  static const bool has_bfloat16 = [] {
    const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    constexpr auto kWanted =
        static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
    return (isa & kWanted) == kWanted;
  }();
  return has_bfloat16;
}

dnnl::memory::data_type data_type(Dtype dtype) {
  using Type = dnnl::memory::data_type;
  switch (dtype) {
    case Dtype::kFloat32:
      return Type::f32;
    case Dtype::kBFloat16:
      return Type::bf16;
    case Dtype::kFloat16:
      return Type::f16;
    case Dtype::kInt32:
      return Type::s32;
    case Dtype::kInt8:
      return Type::s8;
    case Dtype::kUInt8:
      return Type::u8;
    default:
      raise<DtypeError>("oneDNN: expected a supported dtype, got ", dtype);
  }
}

dnnl::memory::desc describe(const Shape& shape, Dtype dtype) {
  return {dims_of(shape), data_type(dtype),
          dims_of(contiguous_strides(shape, 1))};
}

dnnl::memory::desc describe_channels_last(const Shape& shape, Dtype dtype) {
  Strides strides = shape;
  strides[1] = 1;
  int64_t stride = shape[1];
  for (int axis = shape.size() - 1; axis > 1; --axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  strides[0] = stride;
  return {dims_of(shape), data_type(dtype), dims_of(strides)};
}

dnnl::memory::desc describe_any(const Shape& shape, Dtype dtype) {
  return {dims_of(shape), data_type(dtype), dnnl::memory::format_tag::any};
}

dnnl::memory::desc describe(const Array& a) {
  if (a.is_contiguous()) return describe(a.shape(), a.dtype());
  dnnl::memory::dims strides = dims_of(a.strides());
  for (auto& stride : strides) stride /= a.itemsize();
  return {dims_of(a.shape()), data_type(a.dtype()), strides};
}

Array dense(const Array& a) { return is_dense(a) ? a : a.contiguous(); }

}  // namespace catena::cpu::onednn
