#include "catena/examples/gpt/characters.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "catena/catena.h"

namespace catena::examples {
namespace {

std::string_view last(std::string_view text, int64_t count) {
  return text.substr(text.size() -
                     std::min(text.size(), static_cast<size_t>(count)));
}

// An id by its scores.
int32_t drawn(const Array& scores, double temperature,
              std::mt19937_64& random) {
  std::vector<double> weights =
      scores.astype(Dtype::kFloat64).to_vector<double>();
  const double largest = *std::ranges::max_element(weights);
  for (double& weight : weights) {
    weight = std::exp((weight - largest) / temperature);
  }
  std::discrete_distribution<int32_t> ids(weights.begin(), weights.end());
  return ids(random);
}

}  // namespace

Characters::Characters(std::string_view text) {
  const std::set<char> distinct(text.begin(), text.end());
  characters_.assign(distinct.begin(), distinct.end());
}

Array Characters::encode(std::string_view text) const {
  std::vector<int32_t> ids;
  ids.reserve(text.size());
  for (const char c : text) {
    const auto place = std::ranges::lower_bound(characters_, c);
    if (place == characters_.end() || *place != c) {
      raise<ValueError>("expected characters of the model's text, got ",
                        "byte ", int{static_cast<unsigned char>(c)});
    }
    ids.push_back(static_cast<int32_t>(place - characters_.begin()));
  }
  return array::array(ids, std::nullopt, native_device());
}

std::string Characters::decode(const std::vector<int32_t>& ids) const {
  std::string text;
  for (const int32_t id : ids) text += characters_.at(static_cast<size_t>(id));
  return text;
}

std::string write_text(links::Gpt2& model, const Characters& characters,
                       const std::string& start, const WriteOptions& options) {
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  const int64_t context = model.options().context;
  const Device device = model.tokens->W.device();
  std::mt19937_64 random(options.seed);
  std::string text = start;
  auto caches = model.make_caches();
  // What the model is to see next: at first the text, then a character. When
  // its context is full, it begins again with the last half.
  std::string_view next = last(text, context);
  std::string character;
  for (int64_t i = 0; i < options.length; ++i) {
    if (caches[0].length() + std::ssize(next) > context) {
      for (auto& cache : caches) cache.cut(0);
      next = last(text, (context + 1) / 2);
    }
    const Array ids = characters.encode(next).reshape(1, -1).to_device(device);
    const Array scores = model(as_variable(ids), caches).data()[{0, -1}];
    character = characters.decode({drawn(scores, options.temperature, random)});
    text += character;
    next = character;
  }
  return text;
}

}  // namespace catena::examples
