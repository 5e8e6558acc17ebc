#include "catena/links/loss/word_sampler.h"

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"

namespace catena::links {

Shape word_matrix_shape(std::string_view link, int64_t in_size,
                        const std::vector<int64_t>& counts,
                        int64_t sample_size) {
  const auto words = static_cast<int64_t>(counts.size());
  if (in_size <= 0 || words == 0 || sample_size <= 0) {
    raise<ValueError>(link,
                      ": expected positive sizes and a count for each word, "
                      "got in_size ",
                      in_size, ", ", words, " counts and sample_size ",
                      sample_size);
  }
  return {words, in_size};
}

array::random::WalkerAlias word_sampler(const std::vector<int64_t>& counts,
                                        double power) {
  std::vector<double> weights;
  for (const int64_t count : counts) {
    // A word that never occurs is never drawn, whatever the power.
    weights.push_back(count == 0 ? 0
                                 : std::pow(static_cast<double>(count), power));
  }
  return array::random::WalkerAlias(array::array(weights));
}

}  // namespace catena::links
