#include "catena/functions/pooling/max_pooling.h"

#include <utility>

#include "catena/autograd/config.h"
#include "catena/functions/kinds.h"
#include "catena/functions/pooling/internal/window_maps.h"

namespace catena::functions {
namespace {

class MaxPooling final : public FunctionNode {
 public:
  MaxPooling(const WindowCall& call, Array* return_indices)
      : call_(call), return_indices_(return_indices) {}

  std::string_view label() const override { return call_.function; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::MaxPooling>(options_of(*this));
  }
  template <class Visit>
  void visit_options(Visit visit) const {
    visit_window(window_, visit);
    visit("cover_all", call_.cover_all);
  }

  void check_type_forward(TypeCheck& in) const override {
    check_window_types(in, call_);
  }

  Arrays forward(const Arrays& in) override {
    window_ = windows_over(in[0].shape(), call_);
    layout_ = WindowLayout(in[0]);
    const WindowArgs window = layout_.window(window_, in[0].shape()[1]);
    const Array x = layout_.pack(in[0]);
    const Array y = array::empty(shape_of_outputs(x.shape(), window), x.dtype(),
                                 x.device());
    Array* target = std::exchange(return_indices_, nullptr);
    if (target != nullptr || config().enable_backprop) {
      taps_ = array::empty(y.shape(), Dtype::kInt32, y.device());
    } else if (pool_by_cudnn(layout_, WindowPass::kMaxima, window, 1, x, y)) {
      return {y};
    }
    run_over_rows(WindowMax{window, x.raw_data(), y.raw_data(),
                            taps_.defined() ? taps_.data<int32_t>() : nullptr},
                  y, taps_of(window));
    // A copy: backward relies on its contents.
    if (target != nullptr) *target = layout_.unpack(taps_).copy();
    return {layout_.unpack(y)};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    return {place_into_windows(gy[0], window_, taps_, layout_)};
  }

 private:
  WindowCall call_;
  Array* return_indices_;
  WindowArgs window_ = {};
  WindowLayout layout_;
  Array taps_;
};

Variable max_pooling(const Variable& x, const Spatial& ksize,
                     const MaxPoolingOptions& options,
                     std::string_view function, std::optional<int> ndim) {
  const WindowCall call{.function = function,
                        .ksize = ksize,
                        .stride = options.stride,
                        .pad = options.pad,
                        .cover_all = options.cover_all,
                        .ndim = ndim};
  return apply<MaxPooling>({x}, call, options.return_indices);
}

}  // namespace

Variable max_pooling_nd(const Variable& x, const Spatial& ksize,
                        const MaxPoolingOptions& options) {
  return max_pooling(x, ksize, options, "max_pooling_nd", std::nullopt);
}

Variable max_pooling_1d(const Variable& x, int64_t ksize,
                        const MaxPoolingOptions& options) {
  return max_pooling(x, ksize, options, "max_pooling_1d", 1);
}

Variable max_pooling_2d(const Variable& x, const Spatial& ksize,
                        const MaxPoolingOptions& options) {
  return max_pooling(x, ksize, options, "max_pooling_2d", 2);
}

Variable max_pooling_3d(const Variable& x, const Spatial& ksize,
                        const MaxPoolingOptions& options) {
  return max_pooling(x, ksize, options, "max_pooling_3d", 3);
}

MaxPooling2D::MaxPooling2D(const Spatial& ksize,
                           const MaxPoolingOptions& options)
    : ksize(ksize),
      stride(options.stride.value_or(ksize)),
      pad(options.pad),
      cover_all(options.cover_all) {}

Variable MaxPooling2D::operator()(const Variable& x) {
  return max_pooling_2d(x, ksize,
                        {.stride = stride,
                         .pad = pad,
                         .cover_all = cover_all,
                         .return_indices = &indexes});
}

}  // namespace catena::functions
