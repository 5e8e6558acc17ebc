#include "catena/functions/connection/embed_id.h"

#include <array>
#include <utility>

#include "catena/array/creation.h"
#include "catena/array/take.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/internal/gradient_sum.h"
#include "catena/functions/kinds.h"
#include "catena/functions/loss/internal/labels.h"

namespace catena::functions {
namespace {

// Labels of -1 have no row.
constexpr array::IndexMode kSkip = array::IndexMode::kSkip;

class EmbedId final : public FunctionNode {
 public:
  // Labels are rows of W, or -1.
  explicit EmbedId(Array labels) : labels_(std::move(labels)) {}

  std::string_view label() const override { return "embed_id"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::EmbedId>({{"x", labels_}});
  }

  Arrays forward(const Arrays& in) override {
    return {array::take(in[0], labels_, {.axis = 0, .mode = kSkip})};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  Array labels_;
};

class EmbedIdGradient final : public FunctionNode {
 public:
  EmbedIdGradient(Array labels, const Shape& shape)
      : labels_(std::move(labels)), shape_(shape) {}

  std::string_view label() const override { return "embed_id_grad"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::GradientOf<kinds::EmbedId>>(
        {{"x", labels_}});
  }

  Arrays forward(const Arrays& gy) override {
    const Array gW = array::zeros(shape_, gy[0].dtype(), gy[0].device());
    array::scatter_add(gW, labels_, 0, gy[0], {.mode = kSkip});
    return {gW};
  }

  Variables backward(const Indexes&, const Variables& ggW) override {
    return {catena::apply<EmbedId>({ggW[0]}, labels_)};
  }

 private:
  Array labels_;
  Shape shape_;
};

Variables EmbedId::backward(const Indexes&, const Variables& gy) {
  if (const Array sum = gradient_sum(*inputs()[0]); sum.defined()) {
    array::scatter_add(sum, labels_, 0, gy[0].data(), {.mode = kSkip});
    return {Variable()};
  }
  return {
      catena::apply<EmbedIdGradient>({gy[0]}, labels_, inputs()[0]->shape())};
}

void check_types(const Variable& x, const Variable& W) {
  const std::array<VariableRef, 2> inputs{x, W};
  TypeCheck in("embed_id", inputs);
  const auto [label, weight] = in.names<2>({"x", "W"});
  in.expect_integral(label);
  in.expect_floating(weight);
  in.expect(weight.ndim() == type_check::Term(2));
}

}  // namespace

Variable embed_id(const Variable& x, const Variable& W,
                  const EmbedIdOptions& options) {
  check_types(x, W);
  const CheckedLabels labels(x.data(), W.shape()[0], options.ignore_label,
                             "embed_id");
  return apply<EmbedId>(
      {W}, labels.array().astype(Dtype::kInt64, Array::CopyPolicy::kIfNeeded));
}

Variable embed_id(const Array& x, const Variable& W,
                  const EmbedIdOptions& options) {
  return embed_id(as_variable(x), W, options);
}

}  // namespace catena::functions
