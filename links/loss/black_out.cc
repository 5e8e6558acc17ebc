#include "catena/links/loss/black_out.h"

#include "catena/functions/loss/black_out.h"
#include "catena/links/loss/word_sampler.h"

namespace catena::links {

BlackOut::BlackOut(int64_t in_size, const std::vector<int64_t>& counts,
                   int64_t sample_size, const BlackOutOptions& options)
    : W(this, "W", options.initialW,
        word_matrix_shape("BlackOut", in_size, counts, sample_size)),
      sample_size_(sample_size),
      sampler_(word_sampler(counts, /*power=*/1)) {}

Variable BlackOut::forward(const Variable& x, const Variable& t) {
  if (sample_data.defined()) {
    return functions::black_out(x, t, W,
                                as_variable(sample_data.to_device(x.device())));
  }
  sampler_.to_device(x.device());
  const Array samples = sampler_.sample({x.len(), sample_size_});
  return functions::black_out(x, t, W, as_variable(samples));
}

}  // namespace catena::links
