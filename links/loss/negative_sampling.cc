#include "catena/links/loss/negative_sampling.h"

#include "catena/links/loss/word_sampler.h"

namespace catena::links {

NegativeSampling::NegativeSampling(int64_t in_size,
                                   const std::vector<int64_t>& counts,
                                   int64_t sample_size, double power)
    : W(this, "W", 0.0,
        word_matrix_shape("NegativeSampling", in_size, counts, sample_size)),
      sample_size_(sample_size),
      sampler_(word_sampler(counts, power)) {}

Variable NegativeSampling::forward(const Variable& x, const Variable& t,
                                   const NegativeSamplingOptions& options) {
  sampler_.to_device(x.device());
  return functions::negative_sampling(
      x, t, W, [this](const Shape& shape) { return sampler_.sample(shape); },
      sample_size_, options);
}

}  // namespace catena::links
