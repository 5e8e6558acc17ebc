#include "catena/training/extensions/parameter_statistics.h"

#include <algorithm>
#include <array>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/statistics/order.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/links/reporter.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

constexpr std::array<double, 7> kPercents = {0.13,  2.28,  15.87, 50,
                                             84.13, 97.72, 99.87};

void check_function(const std::string& name, const Statistic& function) {
  if (function) return;
  raise<ValueError>("ParameterStatistics: expected a function for '", name,
                    "', got none");
}

bool has_nan(const Array& x) {
  return array::any(array::isnan(x)).item<bool>();
}

}  // namespace

Statistics default_statistics() {
  return {
      {"mean", [](const Array& x) { return array::mean(x); }},
      {"std", [](const Array& x) { return array::std(x); }},
      {"min", [](const Array& x) { return array::min(x); }},
      {"max", [](const Array& x) { return array::max(x); }},
      {"zeros", [](const Array& x) { return array::sum(array::equal(x, 0)); }},
      {"percentile",
       [](const Array& x) { return array::percentile(x, kPercents); }},
  };
}

ParameterStatistics::ParameterStatistics(
    std::vector<Link*> links, const ParameterStatisticsOptions& options)
    : links_(std::move(links)), options_(options), summary_(options.trigger) {
  if (links_.empty()) {
    raise<ValueError>("ParameterStatistics: expected links, got none");
  }
  if (std::ranges::find(links_, nullptr) != links_.end()) {
    raise<ValueError>(
        "ParameterStatistics: expected links, got a null pointer");
  }
  const Statistics& statistics = options_.statistics;
  for (auto it = statistics.begin(); it != statistics.end(); ++it) {
    check_function(it->first, it->second);
    const auto is_same = [&](const auto& other) {
      return other.first == it->first;
    };
    if (std::any_of(statistics.begin(), it, is_same)) {
      raise<ValueError>(
          "ParameterStatistics: expected unique statistic names, got '",
          it->first, "' twice");
    }
  }
}

void ParameterStatistics::register_statistics(std::string name,
                                              Statistic function) {
  check_function(name, function);
  for (auto& [other, old] : options_.statistics) {
    if (other != name) continue;
    old = std::move(function);
    return;
  }
  options_.statistics.emplace_back(std::move(name), std::move(function));
}

void ParameterStatistics::operator()(Trainer& trainer) {
  Observation observed;
  for (Link* link : links_) {
    for (const auto& [path, param] :
         link->namedparams(/*include_uninit=*/false)) {
      const std::string key = options_.prefix + path;
      if (options_.report_params) add(key + "/data/", param.data(), observed);
      if (options_.report_grads && param.grad().defined()) {
        add(key + "/grad/", param.grad(), observed);
      }
    }
  }
  if (const auto means = summary_.add(observed, trainer)) report(*means);
}

void ParameterStatistics::add(const std::string& key, const Array& values,
                              Observation& observed) const {
  const Array elements = values.reshape({-1});
  if (elements.size() == 0) return;
  const bool is_skipped = options_.skip_nan_params && has_nan(elements);
  for (const auto& [name, function] : options_.statistics) {
    if (is_skipped) {
      observed.set(key + name, std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const Array statistic = function(elements);
    if (statistic.size() == 1) {
      observed.set(key + name, statistic.reshape({}));
      continue;
    }
    const Array several = statistic.reshape({-1});
    for (int64_t i = 0; i < several.size(); ++i) {
      observed.set(str(key, name, "/", i), several[i]);
    }
  }
}

void ParameterStatistics::serialize(const Serializer& serializer) {
  summary_.serialize(serializer);
}

}  // namespace catena::training::extensions
