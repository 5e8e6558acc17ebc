#include "catena/functions/rnn/internal/n_step_dropout.h"

#include <mutex>

#include "catena/array/kernels/philox.h"

namespace catena::functions {

std::optional<uint64_t> NStepDropoutSeed::next(
    array::random::Generator& generator) {
  static std::mutex mutex;  // between reading a place and leaving it
  const std::scoped_lock lock(mutex);
  const int64_t restarts = generator.restarts();
  if (restarts_ == restarts) return std::nullopt;
  restarts_ = restarts;
  const array::random::GeneratorState place = generator.state();
  generator.bernoulli_mask(0.5, {1}, Dtype::kFloat32, 1);  // leaves it
  const array::PhiloxWords words = array::philox(place.position, place.seed);
  return uint64_t{words.v[0]} << 32 | words.v[1];
}

}  // namespace catena::functions
