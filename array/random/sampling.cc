#include "catena/array/random/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array::random {
namespace {

// The weights on the host. Throws ShapeError, ValueError.
std::vector<double> read_weights(std::string_view operation, const Array& p) {
  if (p.ndim() != 1) {
    raise<ShapeError>(operation,
                      ": expected probabilities of one dimension, got shape ",
                      p.shape());
  }
  const Array host =
      p.astype(Dtype::kFloat64).to_device(native_device()).contiguous();
  std::vector<double> weights(host.data<double>(),
                              host.data<double>() + host.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i])) {
      raise<ValueError>(operation,
                        ": expected probabilities of at least 0, got ",
                        weights[i], " at ", i);
    }
  }
  return weights;
}

Array from_vector(const std::vector<double>& values, Device device) {
  const Array host = empty({static_cast<int64_t>(values.size())},
                           Dtype::kFloat64, native_device());
  std::copy(values.begin(), values.end(), host.data<double>());
  return host.to_device(device);
}

void check_device(std::string_view operation, const Generator& generator,
                  Device expected) {
  if (generator.device() != expected) {
    raise<DeviceError>(operation, ": expected a generator on ", expected,
                       ", got one on ", generator.device());
  }
}

// Exponential races (P. S. Efraimidis and P. G. Spirakis, 2006): value i has an
// exponential arrival time of rate p[i], and the first arrivals are drawn.
Array choose_distinct(const std::vector<double>& weights, int64_t count,
                      Generator& generator) {
  const auto n = static_cast<int64_t>(weights.size());
  const Array uniform = generator.random_sample({n}).to_device(native_device());
  std::vector<double> arrivals(weights.size());
  for (int64_t i = 0; i < n; ++i) {
    arrivals[i] = weights[i] == 0
                      ? std::numeric_limits<double>::infinity()
                      : -std::log1p(-uniform.data<double>()[i]) / weights[i];
  }
  std::vector<int64_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](int64_t i, int64_t j) {
                      return std::pair(arrivals[i], i) <
                             std::pair(arrivals[j], j);
                    });
  const Array chosen = empty({count}, Dtype::kInt64, native_device());
  std::copy_n(order.begin(), count, chosen.data<int64_t>());
  return chosen.to_device(generator.device());
}

}  // namespace

WalkerAlias::WalkerAlias(const Array& probs) {
  std::vector<double> weights = read_weights("WalkerAlias", probs);
  const auto n = static_cast<int64_t>(weights.size());
  if (n == 0 || n > std::numeric_limits<int32_t>::max()) {
    raise<ValueError>("WalkerAlias: expected 1 to 2^31 - 1 probabilities, got ",
                      n);
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) {
    raise<ValueError>(
        "WalkerAlias: expected probabilities with a positive, finite sum, got ",
        sum);
  }
  const auto likeliest = static_cast<int32_t>(
      std::max_element(weights.begin(), weights.end()) - weights.begin());
  // Columns of mean height 1: each low one is filled from a high one, which may
  // then become low itself.
  std::vector<double>& heights = weights;
  std::vector<int32_t> low;
  std::vector<int32_t> high;
  for (int64_t i = 0; i < n; ++i) {
    heights[i] *= static_cast<double>(n) / sum;
    (heights[i] < 1 ? low : high).push_back(static_cast<int32_t>(i));
  }
  const Array aliases = empty({n}, Dtype::kInt32, native_device());
  std::iota(aliases.data<int32_t>(), aliases.data<int32_t>() + n, 0);
  while (!low.empty() && !high.empty()) {
    const int32_t filled = low.back();
    const int32_t giver = high.back();
    low.pop_back();
    aliases.data<int32_t>()[filled] = giver;
    heights[giver] -= 1 - heights[filled];
    if (heights[giver] < 1) {
      high.pop_back();
      low.push_back(giver);
    }
  }
  // Columns left over by rounding are full or can never be drawn.
  for (const int32_t i : low) {
    if (heights[i] == 0) {
      aliases.data<int32_t>()[i] = likeliest;
    } else {
      heights[i] = 1;
    }
  }
  for (const int32_t i : high) heights[i] = 1;
  thresholds_ = from_vector(heights, probs.device());
  aliases_ = aliases.to_device(probs.device());
}

Array WalkerAlias::sample(const Shape& shape) const {
  return sample(shape, generator(device()));
}

Array WalkerAlias::sample(const Shape& shape, Generator& generator) const {
  check_device("WalkerAlias::sample", generator, device());
  // The integer part selects a column, the fraction a height in it.
  const Array at = generator.uniform(0, static_cast<double>(size()), shape);
  const Array column = at.astype(Dtype::kInt32);
  return where(less(at - column, take(thresholds_, column)), column,
               take(aliases_, column));
}

WalkerAlias& WalkerAlias::to_device(Device device) {
  const Array thresholds = thresholds_.to_device(device);
  aliases_ = aliases_.to_device(device);
  thresholds_ = thresholds;
  return *this;
}

Array choice(int64_t n, const Shape& shape, const ChoiceOptions& options) {
  return choice(n, shape, options, generator());
}

Array choice(int64_t n, const Shape& shape, const ChoiceOptions& options,
             Generator& generator) {
  const int64_t count = checked_size(shape, item_size(Dtype::kInt64), "choice");
  const bool is_even = !options.p.defined();
  if (n < 0 || (n == 0 && count > 0)) {
    raise<ValueError>("choice: expected at least 1 value to draw from, got ",
                      n);
  }
  std::vector<double> weights;
  int64_t available = n;
  if (!is_even) {
    weights = read_weights("choice", options.p);
    if (options.p.size() != n) {
      raise<ShapeError>("choice: expected ", n, " probabilities, got shape ",
                        options.p.shape());
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (n > 0 && std::abs(sum - 1) > 1e-6) {
      raise<ValueError>(
          "choice: expected probabilities that add up to 1, got a sum of ",
          sum);
    }
    available = n - std::count(weights.begin(), weights.end(), 0.0);
  }
  if (!options.replace && count > available) {
    raise<ValueError>("choice: expected at most ", available,
                      " draws without replacement, the number of values of "
                      "positive probability, got shape ",
                      shape);
  }
  if (count == 0) return empty(shape, Dtype::kInt64, generator.device());
  if (options.replace) {
    if (is_even) return generator.randint(0, n, shape);
    const WalkerAlias table(from_vector(weights, generator.device()));
    return table.sample(shape, generator).astype(Dtype::kInt64);
  }
  if (is_even) {
    return generator.permutation(n)[{Slice(0, count)}].copy().reshape(shape);
  }
  return choose_distinct(weights, count, generator).reshape(shape);
}

Array choice(const Array& a, const Shape& shape, const ChoiceOptions& options) {
  return choice(a, shape, options, generator(a.device()));
}

Array choice(const Array& a, const Shape& shape, const ChoiceOptions& options,
             Generator& generator) {
  if (a.ndim() != 1) {
    raise<ShapeError>("choice: expected an array of one dimension, got shape ",
                      a.shape());
  }
  check_device("choice", generator, a.device());
  const Array chosen = choice(a.size(), shape, options, generator);
  if (chosen.size() == 0) return empty(shape, a.dtype(), a.device());
  return take(a, chosen);
}

Array permutation(const Array& a) {
  return permutation(a, generator(a.device()));
}

Array permutation(const Array& a, Generator& generator) {
  if (a.ndim() == 0) {
    raise<ShapeError>("permutation: expected at least one dimension, got ",
                      a.shape());
  }
  check_device("permutation", generator, a.device());
  if (a.size() == 0) return a.copy();
  return take(a, generator.permutation(a.shape()[0]), 0);
}

void shuffle(const Array& a) { shuffle(a, generator(a.device())); }

void shuffle(const Array& a, Generator& generator) {
  if (a.ndim() == 0) {
    raise<ShapeError>("shuffle: expected at least one dimension, got ",
                      a.shape());
  }
  check_writable(a, "shuffle");
  a.assign(permutation(a, generator));
}

}  // namespace catena::array::random
