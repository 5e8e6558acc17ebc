#include "catena/links/loss/crf1d.h"

#include "catena/array/core/error.h"
#include "catena/functions/array/transpose_sequence.h"
#include "catena/functions/loss/crf1d.h"

namespace catena::links {
namespace {

Shape cost_shape(int64_t n_label) {
  if (n_label <= 0) {
    raise<ValueError>("CRF1d: expected a positive n_label, got ", n_label);
  }
  return {n_label, n_label};
}

}  // namespace

CRF1d::CRF1d(int64_t n_label, const CRF1dOptions& options)
    : cost(this, "cost", options.initial_cost, cost_shape(n_label)) {}

Variable CRF1d::forward(std::span<const Variable> xs,
                        std::span<const Variable> ys,
                        const CRF1dCallOptions& options) {
  if (!options.transpose) {
    return functions::crf1d(cost, xs, ys, {.reduce = options.reduce});
  }
  const Variables places = functions::transpose_sequence(xs);
  const Variables labels = functions::transpose_sequence(ys);
  return functions::crf1d(cost, places, labels, {.reduce = options.reduce});
}

std::pair<Variable, std::vector<Array>> CRF1d::argmax(
    std::span<const Variable> xs, const CRF1dCallOptions& options) const {
  if (!options.transpose) return functions::argmax_crf1d(cost, xs);
  auto [score, places] =
      functions::argmax_crf1d(cost, functions::transpose_sequence(xs));
  std::vector<Variable> labels;
  for (const Array& place : places) labels.push_back(as_variable(place));
  std::vector<Array> sequences;
  for (const Variable& sequence : functions::transpose_sequence(labels)) {
    sequences.push_back(sequence.data());
  }
  return {score, sequences};
}

}  // namespace catena::links
