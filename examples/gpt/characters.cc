#include "catena/examples/gpt/characters.h"

#include <algorithm>
#include <set>

#include "catena/array/core/error.h"

namespace catena::examples {

Characters::Characters(std::string_view text) {
  const std::set<char> distinct(text.begin(), text.end());
  characters_.assign(distinct.begin(), distinct.end());
}

std::vector<int32_t> Characters::encode(std::string_view text) const {
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
  return ids;
}

std::string Characters::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) text += characters_.at(static_cast<size_t>(id));
  return text;
}

std::string write_text(links::LanguageModel& model,
                       const Characters& characters, const std::string& start,
                       const WriteOptions& options) {
  const auto context = static_cast<size_t>(model.sizes().context);
  std::vector<int32_t> ids = characters.encode(start);
  const size_t end = ids.size() + static_cast<size_t>(options.length);
  // Each part ends where the context is full. The next one begins with the last
  // half.
  for (uint64_t part = 0; ids.size() < end; ++part) {
    const size_t seen = ids.size() < context ? ids.size() : (context + 1) / 2;
    const links::Generation more =
        links::generate(model, std::span(ids).last(seen),
                        {.max_tokens = static_cast<int64_t>(end - ids.size()),
                         .temperature = options.temperature,
                         .seed = options.seed + part});
    ids.insert(ids.end(), more.ids.begin(), more.ids.end());
  }
  return characters.decode(ids);
}

}  // namespace catena::examples
