#include "catena/functions/array/pad_sequence.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/internal/sequence_check.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

// The first `length` elements of row i.
Array row_start(const Array& rows, int64_t i, int64_t length) {
  return rows[{i, Slice(0, length)}];
}

class PadSequence final : public FunctionNode {
 public:
  PadSequence(int64_t length, Scalar padding)
      : length_(length), padding_(padding) {}

  std::string_view label() const override { return "pad_sequence"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::PadSequence>(
        {{"length", length_}, {"padding", padding_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    expect_sequences(in);
  }

  Arrays forward(const Arrays& xs) override {
    Shape shape = xs[0].shape();
    shape[0] = length_;
    shape.insert(0, static_cast<int64_t>(xs.size()));
    const Array y = array::full(shape, padding_, xs[0].dtype(), xs[0].device());
    for (size_t i = 0; i < xs.size(); ++i) {
      row_start(y, static_cast<int64_t>(i), xs[i].len()).assign(xs[i]);
    }
    return {y};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  int64_t length_;
  Scalar padding_;
};

// The sequences without padding.
class UnpadSequence final : public FunctionNode {
 public:
  explicit UnpadSequence(std::vector<int64_t> lengths)
      : lengths_(std::move(lengths)) {}

  std::string_view label() const override { return "pad_sequence_grad"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::GradientOf<kinds::PadSequence>>(
        {{"lengths", lengths_}});
  }

  Arrays forward(const Arrays& y) override {
    Arrays xs;
    for (size_t i = 0; i < lengths_.size(); ++i) {
      xs.push_back(row_start(y[0], static_cast<int64_t>(i), lengths_[i]));
    }
    return xs;
  }

  Variables backward(const Indexes&, const Variables& gxs) override {
    const VariableNode& y = *inputs()[0];
    Variables filled = gxs;
    for (size_t i = 0; i < filled.size(); ++i) {
      if (filled[i].defined()) continue;
      Shape shape = y.shape();
      shape.erase(0);
      shape[0] = lengths_[i];
      filled[i] = as_variable(array::zeros(shape, y.dtype(), y.device()));
    }
    return {catena::apply<PadSequence>(std::span<const Variable>(filled),
                                       y.shape()[1], Scalar(0))};
  }

 private:
  std::vector<int64_t> lengths_;
};

Variables PadSequence::backward(const Indexes&, const Variables& gy) {
  std::vector<int64_t> lengths;
  for (const auto& x : inputs()) lengths.push_back(x->shape()[0]);
  return apply_all<UnpadSequence>(std::span(gy), std::move(lengths));
}

}  // namespace

Variable pad_sequence(std::span<const Variable> xs,
                      const PadSequenceOptions& options) {
  int64_t longest = 0;
  for (const Variable& x : xs) {
    if (x.ndim() > 0) longest = std::max(longest, x.len());
  }
  const int64_t length = options.length.value_or(longest);
  if (length < longest) {
    raise<ValueError>("pad_sequence: expected a length of at least ", longest,
                      ", that of the longest sequence, got ", length);
  }
  return apply<PadSequence>(xs, length, options.padding);
}

}  // namespace catena::functions
