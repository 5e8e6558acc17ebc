#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct CRF1dOptions {
  NamedFieldsOnly keywords = {};
  Initializer initial_cost = initializers::Constant(0);
};
struct CRF1dCallOptions {
  NamedFieldsOnly keywords = {};
  // "mean" over the sequences, or "no" for the loss of each.
  std::string_view reduce = "mean";
  // Whether xs and ys hold sequences, the longest first, rather than steps.
  bool transpose = false;
};

// A linear-chain conditional random field (functions::crf1d) with learned
// transition costs.
class CRF1d : public Link {
 public:
  using Options = CRF1dOptions;

  // Throws ValueError unless n_label is positive.
  explicit CRF1d(int64_t n_label, const CRF1dOptions& options = {});

  // The negative log-likelihood of labels ys, given costs xs, as in
  // functions::crf1d.
  Variable forward(std::span<const Variable> xs, std::span<const Variable> ys,
                   const CRF1dCallOptions& options = {});
  Variable operator()(std::span<const Variable> xs,
                      std::span<const Variable> ys,
                      const CRF1dCallOptions& options = {}) {
    return call_link(*this, xs, ys, options);
  }

  // The costs of the most likely labels, and the labels for each step, or with
  // transpose for each sequence, as in functions::argmax_crf1d.
  std::pair<Variable, std::vector<Array>> argmax(
      std::span<const Variable> xs, const CRF1dCallOptions& options = {}) const;

  Param cost;  // (n_label, n_label)
};

}  // namespace catena::links
