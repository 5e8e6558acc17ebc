#include "catena/links/model/language_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/functions/connection/linear.h"

namespace catena::links {
namespace {

using functions::KeyValueCache;
using Caches = std::vector<KeyValueCache>;

constexpr int64_t kMaxBeams = 1000;

bool is_positive(double x) { return x > 0 && std::isfinite(x); }

void check_numbers(const GenerateOptions& options) {
  if (options.max_tokens < 0 || options.top_k < 0) {
    raise<ValueError>("generate: expected max_tokens and top_k of at least 0, ",
                      "got ", options.max_tokens, " and ", options.top_k);
  }
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature)) {
    raise<ValueError>(
        "generate: expected a finite temperature of at least 0, got ",
        options.temperature);
  }
  if (!(options.top_p > 0) || !(options.top_p <= 1)) {
    raise<ValueError>("generate: expected top_p above 0 and at most 1, got ",
                      options.top_p);
  }
  if (!is_positive(options.repetition_penalty)) {
    raise<ValueError>("generate: expected a positive repetition_penalty, got ",
                      options.repetition_penalty);
  }
  if (options.beams < 1 || options.beams > kMaxBeams) {
    raise<ValueError>("generate: expected 1 to ", kMaxBeams, " beams, got ",
                      options.beams);
  }
  if (!std::isfinite(options.length_penalty)) {
    raise<ValueError>("generate: expected a finite length_penalty, got ",
                      options.length_penalty);
  }
}

void check_stops(const GenerateOptions& options) {
  const auto is_empty = [](const auto& stop) { return stop.empty(); };
  if (std::any_of(options.stop_sequences.begin(), options.stop_sequences.end(),
                  is_empty) ||
      std::any_of(options.stop_texts.begin(), options.stop_texts.end(),
                  is_empty)) {
    raise<ValueError>(
        "generate: expected stop sequences and texts, got an empty one");
  }
  if (!options.stop_texts.empty() && !options.decode) {
    raise<ValueError>("generate: expected decode, which stop_texts need");
  }
  const bool has_more = options.temperature > 0 || options.on_token ||
                        !options.stop_sequences.empty() ||
                        !options.stop_texts.empty();
  if (options.beams > 1 && has_more) {
    raise<ValueError>(
        "generate: expected beams without temperature, stop_sequences, "
        "stop_texts and on_token");
  }
}

void check_ids(const LanguageModelSizes& sizes, std::span<const int32_t> ids) {
  if (ids.empty() || std::ssize(ids) > sizes.context) {
    raise<ValueError>("generate: expected 1 to ", sizes.context,
                      " ids, the context, got ", ids.size());
  }
  for (const int32_t id : ids) {
    if (id < 0 || id >= sizes.vocabulary) {
      raise<ValueError>("generate: expected ids from 0 to ",
                        sizes.vocabulary - 1, ", got ", id);
    }
  }
}

// (batch, T), from the ids of one text after the other.
Variable batch_of(std::span<const int32_t> ids, int64_t batch,
                  const Device& device) {
  const int64_t steps = std::ssize(ids) / batch;
  const Array on_host =
      array::empty({batch, steps}, Dtype::kInt32, native_device());
  std::copy(ids.begin(), ids.end(), on_host.data<int32_t>());
  return as_variable(on_host.to_device(device));
}

// The scores of each text's next token, one text after the other.
std::vector<double> next_scores(LanguageModel& model,
                                std::span<const int32_t> ids, int64_t batch,
                                Caches& caches) {
  const Param& weight = model.output_weight();
  const Array features =
      model.features(batch_of(ids, batch, weight.data().device()), caches)
          .data()[{Slice(), -1}];
  const Array scores =
      functions::linear(as_variable(features.contiguous()), weight)
          .data()
          .to_device(native_device())
          .astype(Dtype::kFloat64);
  const double* const first = scores.data<double>();
  std::vector<double> result(first, first + scores.size());
  for (const double score : result) {
    if (!(score < std::numeric_limits<double>::infinity())) {
      raise<ValueError>("generate: expected scores that are numbers, got ",
                        score);
    }
  }
  return result;
}

void penalize(std::span<double> scores, std::span<const int32_t> text,
              double penalty) {
  if (penalty == 1) return;
  std::vector<int32_t> ids(text.begin(), text.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const int32_t id : ids) {
    double& score = scores[static_cast<size_t>(id)];
    score = score > 0 ? score / penalty : score * penalty;
  }
}

// The ids of the `count` largest scores, in order; equal scores are in the
// order of their ids.
std::vector<int32_t> largest(std::span<const double> scores, int64_t count) {
  std::vector<int32_t> ids(scores.size());
  std::iota(ids.begin(), ids.end(), 0);
  const int64_t kept = std::min<int64_t>(count, std::ssize(ids));
  const auto is_before = [&](int32_t a, int32_t b) {
    const double of_a = scores[static_cast<size_t>(a)];
    const double of_b = scores[static_cast<size_t>(b)];
    return of_a > of_b || (of_a == of_b && a < b);
  };
  std::partial_sort(ids.begin(), ids.begin() + kept, ids.end(), is_before);
  ids.resize(static_cast<size_t>(kept));
  return ids;
}

// From 0 to below 1. The standard's distributions differ from library to
// library.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

int32_t drawn(std::span<const double> scores, const GenerateOptions& options,
              std::mt19937_64& random) {
  const double top = *std::max_element(scores.begin(), scores.end());
  const auto weight = [&](int32_t id) {
    const double score = scores[static_cast<size_t>(id)];
    return std::exp((score - top) / options.temperature);
  };
  const int64_t candidates =
      options.top_k > 0 ? std::min<int64_t>(options.top_k, std::ssize(scores))
                        : std::ssize(scores);
  std::vector<int32_t> ids;
  if (options.top_k > 0) {
    ids = largest(scores, candidates);
  } else {
    ids.resize(scores.size());
    std::iota(ids.begin(), ids.end(), 0);
  }
  double total = 0;
  for (const int32_t id : ids) total += weight(id);
  if (options.top_p < 1) {
    // Few tokens are probable: most need not be sorted.
    constexpr int64_t kFirst = 64;
    const double wanted = options.top_p * total;
    total = 0;
    for (int64_t sorted = kFirst; total < wanted; sorted *= 4) {
      sorted = std::min(sorted, candidates);
      ids = largest(scores, sorted);
      total = 0;
      size_t count = 0;
      while (count < ids.size() && total < wanted) {
        total += weight(ids[count++]);
      }
      ids.resize(count);
      if (sorted == candidates) break;
    }
  }
  double rest = uniform(random) * total;
  for (const int32_t id : ids) {
    rest -= weight(id);
    if (rest < 0) return id;
  }
  return ids.back();
}

uint64_t seed_of(const GenerateOptions& options) {
  if (options.seed) return *options.seed;
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

bool contains(const std::vector<int32_t>& ids, int32_t id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Finds stop texts in a text that grows.
class StopTexts {
 public:
  explicit StopTexts(const GenerateOptions& options) : options_(options) {
    for (const std::string& stop : options.stop_texts) {
      longest_ = std::max(longest_, stop.size());
    }
  }

  // Whether there is one, with the text of this token.
  bool add(int32_t id) {
    if (longest_ == 0) return false;
    // What came before matters only where a stop text could have begun.
    end_.erase(0, end_.size() - std::min(end_.size(), longest_ - 1));
    end_ += options_.decode(id);
    return std::any_of(options_.stop_texts.begin(), options_.stop_texts.end(),
                       [this](const std::string& stop) {
                         return end_.find(stop) != std::string::npos;
                       });
  }

 private:
  const GenerateOptions& options_;
  size_t longest_ = 0;
  std::string end_;
};

// Whether the result ends with a stop sequence, which is cut off.
bool cuts_sequence(std::vector<int32_t>& written,
                   const GenerateOptions& options) {
  for (const auto& stop : options.stop_sequences) {
    if (written.size() >= stop.size() &&
        std::equal(stop.rbegin(), stop.rend(), written.rbegin())) {
      written.resize(written.size() - stop.size());
      return true;
    }
  }
  return false;
}

// How many tokens there is place for.
int64_t place_for(const LanguageModelSizes& sizes, std::span<const int32_t> ids,
                  const GenerateOptions& options) {
  return std::min(options.max_tokens, sizes.context - std::ssize(ids));
}

GenerationEnd end_of(int64_t place, const GenerateOptions& options) {
  return place < options.max_tokens ? GenerationEnd::kContext
                                    : GenerationEnd::kMaxTokens;
}

Generation one_text(LanguageModel& model, std::span<const int32_t> ids,
                    const GenerateOptions& options) {
  const int64_t place = place_for(model.sizes(), ids, options);
  std::mt19937_64 random(seed_of(options));
  Caches caches = model.make_caches(1, std::ssize(ids) + place);
  std::vector<int32_t> text(ids.begin(), ids.end());
  std::vector<int32_t> next = text;
  StopTexts stop_texts(options);
  Generation result;
  while (std::ssize(result.ids) < place) {
    std::vector<double> scores = next_scores(model, next, 1, caches);
    penalize(scores, text, options.repetition_penalty);
    const int32_t id = options.temperature > 0 ? drawn(scores, options, random)
                                               : largest(scores, 1)[0];
    if (contains(options.stop_ids, id)) {
      result.end = GenerationEnd::kStop;
      return result;
    }
    result.ids.push_back(id);
    text.push_back(id);
    next = {id};
    if (options.on_token && !options.on_token(id)) {
      result.end = GenerationEnd::kCallback;
      return result;
    }
    if (cuts_sequence(result.ids, options) || stop_texts.add(id)) {
      result.end = GenerationEnd::kStop;
      return result;
    }
  }
  result.end = end_of(place, options);
  return result;
}

// A text of a beam search.
struct Beam {
  std::vector<int32_t> ids;  // those written
  double log_probability = 0;
  int64_t parent = 0;  // its number among those of the step before

  double score(double length_penalty) const {
    const auto length = static_cast<double>(std::max<size_t>(ids.size(), 1));
    return log_probability / std::pow(length, length_penalty);
  }
};

void subtract_log_of_sum(std::span<double> scores) {
  const double top = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - top);
  for (double& score : scores) score -= top + std::log(sum);
}

// The texts that go on, and those that have ended.
class BeamSearch {
 public:
  BeamSearch(std::span<const int32_t> prompt, const GenerateOptions& options)
      : prompt_(prompt), options_(options), beams_(1) {}

  const std::vector<Beam>& beams() const { return beams_; }

  // Continues each text by the tokens with these scores.
  void extend(std::vector<double> scores) {
    const auto count = beams_.size();
    const size_t vocabulary = scores.size() / count;
    std::vector<Beam> longer;
    for (size_t i = 0; i < count; ++i) {
      const std::span<double> row =
          std::span(scores).subspan(i * vocabulary, vocabulary);
      std::vector<int32_t> text(prompt_.begin(), prompt_.end());
      text.insert(text.end(), beams_[i].ids.begin(), beams_[i].ids.end());
      penalize(row, text, options_.repetition_penalty);
      subtract_log_of_sum(row);
      // At most so many of a text's are among the best of all, and as many may
      // end.
      const int64_t few = options_.beams + std::ssize(options_.stop_ids);
      for (const int32_t id : largest(row, few)) {
        add(beams_[i], static_cast<int64_t>(i), id,
            row[static_cast<size_t>(id)], longer);
      }
    }
    std::stable_sort(longer.begin(), longer.end(),
                     [](const Beam& a, const Beam& b) {
                       return a.log_probability > b.log_probability;
                     });
    if (std::ssize(longer) > options_.beams) {
      longer.resize(static_cast<size_t>(options_.beams));
    }
    beams_ = std::move(longer);
  }

  // Whether enough texts have ended, and no other is better now.
  bool is_over() const {
    if (beams_.empty()) return true;
    if (std::ssize(ended_) < options_.beams) return false;
    return best(ended_).score(options_.length_penalty) >=
           best(beams_).score(options_.length_penalty);
  }

  Generation result(GenerationEnd end) const {
    if (ended_.empty()) return {best(beams_).ids, end};
    const Beam& stopped = best(ended_);
    const double score = stopped.score(options_.length_penalty);
    if (!beams_.empty() &&
        best(beams_).score(options_.length_penalty) > score) {
      return {best(beams_).ids, end};
    }
    return {stopped.ids, GenerationEnd::kStop};
  }

 private:
  void add(const Beam& beam, int64_t number, int32_t id, double log_probability,
           std::vector<Beam>& longer) {
    Beam next = beam;
    next.log_probability += log_probability;
    next.parent = number;
    if (contains(options_.stop_ids, id)) {
      ended_.push_back(std::move(next));
      return;
    }
    next.ids.push_back(id);
    longer.push_back(std::move(next));
  }

  const Beam& best(const std::vector<Beam>& beams) const {
    return *std::max_element(beams.begin(), beams.end(),
                             [this](const Beam& a, const Beam& b) {
                               return a.score(options_.length_penalty) <
                                      b.score(options_.length_penalty);
                             });
  }

  std::span<const int32_t> prompt_;
  const GenerateOptions& options_;
  std::vector<Beam> beams_;
  std::vector<Beam> ended_;
};

Generation best_text(LanguageModel& model, std::span<const int32_t> ids,
                     const GenerateOptions& options) {
  const int64_t place = place_for(model.sizes(), ids, options);
  Caches caches = model.make_caches(1, std::ssize(ids) + place);
  BeamSearch search(ids, options);
  std::vector<int32_t> next(ids.begin(), ids.end());
  for (int64_t step = 0; step < place; ++step) {
    search.extend(next_scores(model, next, std::ssize(search.beams()), caches));
    if (search.is_over()) break;
    std::vector<int64_t> parents;
    next.clear();
    for (const Beam& beam : search.beams()) {
      parents.push_back(beam.parent);
      next.push_back(beam.ids.back());
    }
    for (KeyValueCache& cache : caches) cache = cache.select(parents);
  }
  return search.result(end_of(place, options));
}

}  // namespace

Variable LanguageModel::forward(const Variable& ids,
                                std::span<KeyValueCache> caches) {
  return functions::linear(features(ids, caches), output_weight(), {},
                           {.n_batch_axes = 2});
}

Caches LanguageModel::make_caches(int64_t batch,
                                  std::optional<int64_t> capacity) const {
  const LanguageModelSizes all = sizes();
  const int64_t places = capacity.value_or(all.context);
  if (places < 0 || places > all.context) {
    raise<ValueError>("make_caches: expected a capacity from 0 to ",
                      all.context, ", the context, got ", places);
  }
  const Array& weights = output_weight().data();
  const DeviceScope scope(weights.device());
  const AutocastDtype autocast = config().autocast;
  const bool is_cast = autocast.is_on() && weights.dtype() == Dtype::kFloat32;
  const functions::KeyValueCacheOptions options = {
      .batch = batch,
      .heads = all.kv_heads,
      .size = all.head_size,
      .capacity = places,
      .dtype = is_cast ? autocast.dtype() : weights.dtype()};
  Caches caches;
  for (int64_t i = 0; i < all.layers; ++i) caches.emplace_back(options);
  return caches;
}

int64_t LanguageModel::tokens_before(
    std::string_view name, const Variable& ids,
    std::span<const KeyValueCache> caches) const {
  const LanguageModelSizes all = sizes();
  if (ids.ndim() != 2) {
    raise<InvalidType>(name, ": expected ids with two axes, got shape ",
                       ids.shape());
  }
  if (!caches.empty() && std::ssize(caches) != all.layers) {
    raise<ValueError>(name, ": expected caches of ", all.layers,
                      " layers, got ", caches.size());
  }
  const int64_t before = caches.empty() ? 0 : caches[0].length();
  const int64_t steps = ids.shape()[1];
  if (steps > all.context - before) {
    raise<ValueError>(name, ": expected at most ", all.context,
                      " tokens, the context, got ", before + steps);
  }
  return before;
}

Generation generate(LanguageModel& model, std::span<const int32_t> ids,
                    const GenerateOptions& options) {
  check_numbers(options);
  check_stops(options);
  check_ids(model.sizes(), ids);
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  return options.beams > 1 ? best_text(model, ids, options)
                           : one_text(model, ids, options);
}

}  // namespace catena::links
