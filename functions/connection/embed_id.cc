#include "catena/functions/connection/embed_id.h"

#include <cstdint>
#include <optional>
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
  explicit EmbedId(std::optional<int64_t> ignored) : ignored_(ignored) {}

  std::string_view label() const override { return "embed_id"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::EmbedId>(
        {{"ignore_label", ignored_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, W] = in.names<2>({"x", "W"});
    in.expect_integral(x);
    in.expect_floating(W);
    in.expect(W.ndim() == type_check::Term(2));
  }

  Arrays forward(const Arrays& in) override {
    labels_ = CheckedLabels(in[0], in[1].shape()[0], ignored_, label())
                  .array()
                  .astype(Dtype::kInt64, Array::CopyPolicy::kIfNeeded);
    return {array::take(in[1], labels_, {.axis = 0, .mode = kSkip})};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  std::optional<int64_t> ignored_;
  Array labels_;  // rows of W, or -1
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
    return {catena::apply<EmbedId>({as_variable(labels_), ggW[0]},
                                   /*ignored=*/-1)};
  }

 private:
  Array labels_;
  Shape shape_;
};

Variables EmbedId::backward(const Indexes&, const Variables& gy) {
  VariableNode& W = *inputs()[1];
  if (const Array sum = gradient_sum(W); sum.defined()) {
    array::scatter_add(sum, labels_, 0, gy[0].data(), {.mode = kSkip});
    return {Variable()};
  }
  return {catena::apply<EmbedIdGradient>({gy[0]}, labels_, W.shape())};
}

}  // namespace

Variable embed_id(const Variable& x, const Variable& W,
                  const EmbedIdOptions& options) {
  return apply<EmbedId>({x, W}, options.ignore_label);
}

Variable embed_id(const Array& x, const Variable& W,
                  const EmbedIdOptions& options) {
  return embed_id(as_variable(x), W, options);
}

}  // namespace catena::functions
