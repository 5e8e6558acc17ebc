#include "catena/functions/array/transpose_sequence.h"

#include <optional>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/take.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/internal/sequence_check.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

void expect_falling_lengths(const TypeCheck& in) {
  expect_sequences(in);
  for (int i = 1; i < static_cast<int>(in.inputs().size()); ++i) {
    in.expect(in[i - 1].shape(0) >= in[i].shape(0));
  }
}

class TransposeSequence final : public FunctionNode {
 public:
  std::string_view label() const override { return "transpose_sequence"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::TransposeSequence>();
  }

  void check_type_forward(TypeCheck& in) const override {
    expect_falling_lengths(in);
  }

  Arrays forward(const Arrays& xs) override {
    // Two passes over memory, but a constant number of calls: concatenates all
    // sequences, then gathers in time order.
    std::vector<int64_t> begins;
    int64_t total = 0;
    for (const Array& x : xs) {
      begins.push_back(total);
      total += x.len();
    }
    std::vector<int64_t> order;
    std::vector<int64_t> ends;
    order.reserve(static_cast<size_t>(total));
    size_t count = xs.size();
    for (int64_t t = 0; t < xs[0].len(); ++t) {
      while (xs[count - 1].len() <= t) --count;
      for (size_t i = 0; i < count; ++i) order.push_back(begins[i] + t);
      ends.push_back(static_cast<int64_t>(order.size()));
    }
    const Array indices = array::array(order, std::nullopt, xs[0].device());
    const Array rows =
        array::take(array::concatenate(xs), indices,
                    {.axis = 0, .mode = array::IndexMode::kClip});
    Arrays ys;
    int64_t begin = 0;
    for (const int64_t end : ends) {
      ys.push_back(rows[{Slice(begin, end)}]);
      begin = end;
    }
    return ys;
  }

  // It is its own inverse, except that it drops empty sequences.
  Variables backward(const Indexes&, const Variables& gys) override {
    const VariableNode& first = *inputs()[0];
    Variables filled = gys;
    const auto zeros = [&](int64_t length) {
      Shape shape = first.shape();
      shape[0] = length;
      return as_variable(array::zeros(shape, first.dtype(), first.device()));
    };
    for (size_t t = 0; t < filled.size(); ++t) {
      if (filled[t].defined()) continue;
      int64_t count = 0;
      for (const auto& x : inputs()) {
        count += x->shape()[0] > static_cast<int64_t>(t);
      }
      filled[t] = zeros(count);
    }
    Variables gxs = transpose_sequence(filled);
    while (gxs.size() < inputs().size()) gxs.push_back(zeros(0));
    return gxs;
  }
};

}  // namespace

Variables transpose_sequence(std::span<const Variable> xs) {
  if (!xs.empty() && xs[0].ndim() > 0 && xs[0].len() == 0) {
    const auto inputs = refs_of(xs);
    expect_falling_lengths(TypeCheck("transpose_sequence", inputs));
    return {};
  }
  return apply_all<TransposeSequence>(xs);
}

}  // namespace catena::functions
