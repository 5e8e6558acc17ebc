#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/links/link.h"
#include "catena/training/extension.h"
#include "catena/training/interval_summary.h"

namespace catena::training::extensions {

// One or more numbers computed from the elements of a 1-d array.
using Statistic = std::function<Array(const Array& elements)>;
// Statistics by name.
using Statistics = std::vector<std::pair<std::string, Statistic>>;

// mean, std, min, max, zeros (their number) and percentile: the percentiles
// 0.13, 2.28, 15.87, 50, 84.13, 97.72 and 99.87, which in a normal distribution
// are 3, 2, 1 and 0 standard deviations from the mean.
Statistics default_statistics();

struct ParameterStatisticsOptions {
  NamedFieldsOnly keywords = {};
  Statistics statistics = default_statistics();
  bool report_params = true;
  bool report_grads = true;
  // Prefix of all keys.
  std::string prefix = {};
  // When to report the means of statistics; statistics are computed whenever
  // the extension's own trigger fires, by default in each iteration.
  AnyTrigger trigger = {1, "epoch"};
  // Whether to skip computing the statistics of an array that contains NaN, and
  // report NaN.
  bool skip_nan_params = false;
};

// Observes statistics of parameters and their gradients, averaged over
// iterations. Keys are "/l1/W/data/mean", "/l1/W/grad/percentile/0", and so on,
// preceded by the prefix. Uninitialized parameters and missing gradients are
// skipped.
class ParameterStatistics final : public Extension {
 public:
  // The links must outlive the extension. Throws ValueError when there are no
  // links, a link is null, a statistic has no function, or a name is used
  // twice.
  explicit ParameterStatistics(std::vector<Link*> links,
                               const ParameterStatisticsOptions& options = {});
  explicit ParameterStatistics(Link& link,
                               const ParameterStatisticsOptions& options = {})
      : ParameterStatistics(std::vector<Link*>{&link}, options) {}
  explicit ParameterStatistics(const Link&&,
                               const ParameterStatisticsOptions& = {}) =
      delete;  // a temporary would dangle

  // Adds or replaces a statistic. Throws ValueError when there is no function.
  void register_statistics(std::string name, Statistic function);

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "parameter_statistics"; }
  int priority() const override { return PRIORITY_WRITER; }
  void serialize(const Serializer& serializer) override;

 private:
  void add(const std::string& key, const Array& values,
           Observation& observed) const;

  std::vector<Link*> links_;
  ParameterStatisticsOptions options_;
  IntervalSummary summary_;
};

}  // namespace catena::training::extensions
