#include "catena/functions/noise/dropout.h"

#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/image_order.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/internal/given_or_drawn.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

class Dropout final : public FunctionNode {
 public:
  explicit Dropout(const DropoutOptions& options)
      : ratio_(options.ratio),
        mask_(options.mask),
        is_given_(options.mask.defined()),
        return_mask_(options.return_mask) {}

  std::string_view label() const override { return "dropout"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Dropout>(
        {{"ratio", ratio_}, {"mask", is_given_ ? mask_ : Array()}});
  }
  bool repeats() const override { return is_given_; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    if (mask_.defined()) expect_like(in, {"mask", mask_}, "x", x.array());
  }

  Arrays forward(const Arrays& in) override {
    const Array& x = in[0];
    if (!mask_.defined()) {
      moves_channels_ = array::keeps_channels_last(x);
      drawn_ = array::random::generator(x.device())
                   .bernoulli_mask(1 - ratio_, in_memory_order(x).shape(),
                                   x.dtype(), /*value=*/1 / (1 - ratio_));
    }
    if (Array* target = std::exchange(return_mask_, nullptr)) {
      *target = mask_ = mask();
    }
    return {times_mask(x)};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    if (config().enable_backprop) return {gy[0] * mask()};
    return {as_variable(times_mask(gy[0].data()))};
  }

 private:
  // What is drawn has its elements in the order in which x's are in memory.
  Array in_memory_order(const Array& a) const {
    return moves_channels_ ? array::channels_moved_last(a) : a;
  }
  Array from_memory_order(const Array& a) const {
    return moves_channels_ ? array::as_channels_last(a) : a;
  }
  Array mask() const {
    return mask_.defined() ? mask_ : from_memory_order(drawn_.array());
  }
  Array times_mask(const Array& x) const {
    return mask_.defined()
               ? array::multiply(x, mask_)
               : from_memory_order(drawn_.times(in_memory_order(x)));
  }

  double ratio_;
  Array mask_;  // if given or returned, else drawn_
  bool is_given_;
  bool moves_channels_ = false;
  array::random::Mask drawn_;
  Array* return_mask_;
};

}  // namespace

Variable dropout(const Variable& x, const DropoutOptions& options) {
  if (!(options.ratio >= 0 && options.ratio < 1)) {
    raise<ValueError>("dropout: expected ratio in [0, 1), got ", options.ratio);
  }
  if (config().train) return apply<Dropout>({x}, options);
  if (options.return_mask != nullptr) *options.return_mask = Array();
  return x;
}

}  // namespace catena::functions
