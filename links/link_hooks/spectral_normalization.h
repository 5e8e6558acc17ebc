#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "catena/array/array.h"
#include "catena/links/link_hooks/weight_hook.h"

namespace catena::link_hooks {

struct SpectralNormalizationOptions {
  NamedFieldsOnly keywords = {};
  int64_t n_power_iteration = 1;
  // Added to the norms of vectors.
  double eps = 1e-12;
  // Multiplies by a new parameter "gamma" of the link, initially the largest
  // singular value. Add the hook before setting up the optimizer.
  bool use_gamma = false;
  // If set, the singular value is divided by it.
  std::optional<double> factor = std::nullopt;
  std::string weight_name = "W";
  // The output axis of the weight; defaults to 1 for DeconvolutionND and its
  // subclasses, else to 0.
  std::optional<int64_t> axis = std::nullopt;
};

// Divides the weight of a link by its largest singular value, which keeps the
// link's Lipschitz constant at 1 (Miyato et al., 2018). The singular value is u
// W v with the weight as a matrix (out, rest): each call refines the vectors u
// and v by n_power_iteration steps of power iteration, v <- u W / |u W|, u <- W
// v / |W v|, and in training stores u as the persistent array "W_u" of the
// link. Throws ValueError when an option is out of range or the link lacks the
// weight, ShapeError for a weight without outputs.
class SpectralNormalization : public WeightHook {
 public:
  using Options = SpectralNormalizationOptions;

  explicit SpectralNormalization(
      const SpectralNormalizationOptions& options = {});

  std::string_view name() const override { return "SpectralNormalization"; }
  // "W_u", for a weight "W".
  const std::string& vector_name() const { return vector_name_; }

  void added(Link* link) override;
  // Removes u, and gamma if used, from the link.
  void deleted(Link* link) override;

 private:
  Variable compute_weight(Link& link, const Variable& W) override;
  int64_t axis_of(const Link& link) const;
  void prepare(Link& link, const Variable& W);
  // u and v for this call.
  std::pair<Array, Array> vectors(Link& link, const Array& matrix);

  SpectralNormalizationOptions options_;
  std::string vector_name_;
  // The vectors of the last call, for recomputation in the backward of forget.
  std::mutex mutex_;
  std::map<const Link*, std::pair<Array, Array>> last_vectors_;
};

}  // namespace catena::link_hooks
