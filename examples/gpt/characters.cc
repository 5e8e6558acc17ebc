#include "catena/examples/gpt/characters.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "catena/catena.h"

namespace catena::examples {

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
  const auto context = static_cast<size_t>(model.options().context);
  std::mt19937_64 random(options.seed);
  std::string text = start;
  for (int64_t i = 0; i < options.length; ++i) {
    const std::string_view seen = std::string_view(text).substr(
        text.size() - std::min(text.size(), context));
    const Array ids = characters.encode(seen).reshape(1, -1).to_device(
        model.tokens->W.device());
    const Array scores = model(as_variable(ids)).data()[{0, -1}];
    std::vector<double> weights =
        scores.astype(Dtype::kFloat64).to_vector<double>();
    const double largest = *std::ranges::max_element(weights);
    for (double& weight : weights) {
      weight = std::exp((weight - largest) / options.temperature);
    }
    std::discrete_distribution<int32_t> next(weights.begin(), weights.end());
    text += characters.decode({next(random)});
  }
  return text;
}

}  // namespace catena::examples
