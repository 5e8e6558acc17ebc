#include "catena/functions/loss/black_out.h"

#include "catena/array/concatenate.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/loss/internal/indexed_dot.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/exp.h"
#include "catena/functions/math/log1p.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "black_out";

void check_types(const Variable& x, const Variable& t, const Variable& W,
                 const Variable& samples) {
  if (!config().type_check) return;
  const VariableRef inputs[] = {x, t, W, samples};
  TypeCheck in(kName, inputs);
  const auto [row, label, vectors, sample] =
      in.names<4>({"x", "t", "W", "samples"});
  in.expect_floating(row);
  in.expect_integral(label);
  in.expect_integral(sample);
  in.expect(vectors.dtype() == row.dtype(), row.ndim() == type_check::Term(2),
            vectors.ndim() == type_check::Term(2),
            label.ndim() == type_check::Term(1),
            sample.ndim() == type_check::Term(2));
  in.expect(row.shape(0) == label.shape(0), row.shape(0) == sample.shape(0),
            row.shape(1) == vectors.shape(1));
}

// The label and the samples of each row.
Array label_columns(const Array& t, const Array& samples) {
  const bool fit =
      t.dtype() == Dtype::kInt32 && samples.dtype() == Dtype::kInt32;
  const Dtype dtype = fit ? Dtype::kInt32 : Dtype::kInt64;
  return array::concatenate(
      {t.expand_dims(1).astype(dtype), samples.astype(dtype)}, 1);
}

}  // namespace

Variable black_out(const Variable& x, const Variable& t, const Variable& W,
                   const Variable& samples, const BlackOutOptions& options) {
  const bool mean = is_mean(options.reduce, kName);
  check_types(x, t, W, samples);
  const CheckedLabels words(label_columns(t.data(), samples.data()),
                            W.shape()[0], std::nullopt, kName);
  const Variable log_p = log_softmax(indexed_dot(x, W, words.array(), kName));
  const Variable of_label = get_item(log_p, {Slice(), 0});
  const Variable of_samples =
      get_item(log_p, {Slice(), Slice(1, std::nullopt)});
  const Variable losses =
      -(of_label + sum(log1p(-exp(of_samples)), {.axis = 1}));
  return mean ? average(losses) : losses;
}

Variable black_out(const Variable& x, const Array& t, const Variable& W,
                   const Array& samples, const BlackOutOptions& options) {
  return black_out(x, as_variable(t), W, as_variable(samples), options);
}

}  // namespace catena::functions
