#include "catena/training/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "catena/array/core/error.h"
#include "catena/training/log_json.h"
#include "catena/training/read_scalars.h"

namespace catena::training {
namespace {

// The maximum number of pending 0-d arrays; then all are read, which waits.
constexpr size_t kMaxWaiting = 4096;

}  // namespace

void Summary::add(const ObservedValue& value, double weight) {
  const Array array = value.array();
  if (array.defined() && array.ndim() == 0 &&
      !array.device().shares_host_memory()) {
    waiting_.emplace_back(array, weight);
    if (waiting_.size() >= kMaxWaiting) sums();
    return;
  }
  const double x = value.as_double();
  sums();  // adds pending arrays first, to keep the order
  sums_.add(x, weight);
}

void Summary::read(std::span<const Summary* const> summaries) {
  std::vector<Array> pending;
  for (const Summary* summary : summaries) {
    for (const auto& [array, weight] : summary->waiting_) {
      pending.push_back(array);
    }
  }
  const std::vector<double> numbers = read_scalars(pending);
  auto number = numbers.begin();
  for (const Summary* summary : summaries) {
    for (const auto& [array, weight] : summary->waiting_) {
      summary->sums_.add(*number++, weight);
    }
    summary->waiting_.clear();
  }
}

const Summary::Sums& Summary::sums() const {
  const Summary* const self[] = {this};
  read(self);
  return sums_;
}

double Summary::compute_mean() const {
  const Sums& all = sums();
  return all.x / all.n;
}

Summary::Statistics Summary::make_statistics() const {
  const Sums& all = sums();
  const double mean = all.x / all.n;
  // Rounding may give a slightly negative value.
  const double variance = std::max(all.x2 / all.n - mean * mean, 0.0);
  return {mean, std::isnan(mean) ? mean : std::sqrt(variance)};
}

void Summary::serialize(const Serializer& serializer) {
  sums();
  serializer("_x", sums_.x);
  serializer("_x2", sums_.x2);
  serializer("_n", sums_.n);
}

Summary& DictSummary::summary_of(std::string_view name) {
  for (auto& [other, summary] : summaries_) {
    if (other == name) return summary;
  }
  return summaries_.emplace_back(name, Summary()).second;
}

void DictSummary::add(const Observation& values) {
  for (const auto& [name, value] : values) {
    if (value.is_scalar()) summary_of(name).add(value, value.weight());
  }
}

void DictSummary::read() const {
  std::vector<const Summary*> all;
  for (const auto& [name, summary] : summaries_) all.push_back(&summary);
  Summary::read(all);
}

Observation DictSummary::compute_mean() const {
  read();
  Observation means;
  for (const auto& [name, summary] : summaries_) {
    means.set(name, summary.compute_mean());
  }
  return means;
}

Observation DictSummary::make_statistics() const {
  read();
  Observation statistics;
  for (const auto& [name, summary] : summaries_) {
    const auto [mean, std] = summary.make_statistics();
    statistics.set(name, mean);
    statistics.set(name + ".std", std);
  }
  return statistics;
}

void DictSummary::serialize(const Serializer& serializer) {
  const Serializer parts = serializer["_summaries"];
  if (serializer.is_writer()) {
    read();
    std::vector<std::string> names;
    for (auto& [name, summary] : summaries_) {
      summary.serialize(parts[std::to_string(names.size())]);
      names.push_back(name);
    }
    return serializer.write("_names", names_to_json(names));
  }
  const SerializedValue* entry = serializer.read("_names");
  if (entry == nullptr) return;
  const auto* text = std::get_if<std::string>(entry);
  if (text == nullptr) serializer.fail("_names", "text", describe(*entry));
  const auto loaded = std::make_shared<decltype(summaries_)>();
  try {
    for (std::string& name : names_from_json(*text)) {
      loaded->emplace_back(std::move(name), Summary());
    }
  } catch (const Error& error) {
    serializer.fail("_names", "a JSON list of names", error.what());
  }
  for (size_t i = 0; i < loaded->size(); ++i) {
    (*loaded)[i].second.serialize(parts[std::to_string(i)]);
  }
  serializer.on_commit([this, loaded] { summaries_ = std::move(*loaded); });
}

}  // namespace catena::training
