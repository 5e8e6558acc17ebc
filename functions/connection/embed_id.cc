#include "catena/functions/connection/embed_id.h"

#include <array>
#include <utility>

#include "catena/array/creation.h"
#include "catena/array/take.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/internal/gradient_sum.h"
#include "catena/functions/loss/internal/labels.h"

namespace catena::functions {
namespace {

// The row of W for each element of y.
struct Rows {
  Array labels;  // ignored labels may be any row
  Array counts;  // where labels are not ignored; undefined if none are

  // x where labels count, else 0.
  Array masked(const Array& x) const {
    if (!counts.defined()) return x;
    return array::where(counts.expand_dims(-1), x, 0);
  }
};

class EmbedId final : public FunctionNode {
 public:
  // The labels have been checked.
  explicit EmbedId(Rows rows) : rows_(std::move(rows)) {}

  std::string_view label() const override { return "embed_id"; }

  Arrays forward(const Arrays& in) override {
    return {rows_.masked(array::take(in[0], rows_.labels, 0))};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  Rows rows_;
};

class EmbedIdGradient final : public FunctionNode {
 public:
  EmbedIdGradient(Rows rows, const Shape& shape)
      : rows_(std::move(rows)), shape_(shape) {}

  std::string_view label() const override { return "embed_id_grad"; }

  Arrays forward(const Arrays& gy) override {
    const Array gW = array::zeros(shape_, gy[0].dtype(), gy[0].device());
    array::scatter_add(gW, rows_.labels, 0, rows_.masked(gy[0]));
    return {gW};
  }

  Variables backward(const Indexes&, const Variables& ggW) override {
    return {catena::apply<EmbedId>({ggW[0]}, rows_)};
  }

 private:
  Rows rows_;
  Shape shape_;
};

Variables EmbedId::backward(const Indexes&, const Variables& gy) {
  if (const Array sum = gradient_sum(*inputs()[0]); sum.defined()) {
    array::scatter_add(sum, rows_.labels, 0, rows_.masked(gy[0].data()));
    return {Variable()};
  }
  return {catena::apply<EmbedIdGradient>({gy[0]}, rows_, inputs()[0]->shape())};
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
  const Array& labels = x.data();
  const int64_t counted =
      count_labels(labels, W.shape()[0], options.ignore_label, "embed_id");
  // A copy: backward writes where they point, so they must stay checked.
  Rows rows{labels.copy(), {}};
  if (counted < labels.size()) {
    rows.counts = array::not_equal(labels, *options.ignore_label);
    rows.labels = array::where(rows.counts, labels, 0);
  }
  return apply<EmbedId>({W}, std::move(rows));
}

Variable embed_id(const Array& x, const Variable& W,
                  const EmbedIdOptions& options) {
  return embed_id(as_variable(x), W, options);
}

}  // namespace catena::functions
