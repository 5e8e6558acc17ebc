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

// A number, or several, that tell something about the elements of an array of
// one axis.
using Statistic = std::function<Array(const Array& elements)>;
// Statistics by name.
using Statistics = std::vector<std::pair<std::string, Statistic>>;

// mean, std, min, max, zeros (how many) and percentile: those at 0.13, 2.28,
// 15.87, 50, 84.13, 97.72 and 99.87 per cent, which in a normal distribution
// lie 3, 2, 1 and 0 standard deviations from the mean.
Statistics default_statistics();

struct ParameterStatisticsOptions {
  Statistics statistics = default_statistics();
  bool report_params = true;
  bool report_grads = true;
  // Put in front of all keys.
  std::string prefix = {};
  // How often the means of statistics are reported; they are computed whenever
  // the extension's own trigger fires, in each iteration.
  AnyTrigger trigger = {1, "epoch"};
  // Whether the statistics of an array with NaN among its elements are NaN
  // without being computed.
  bool skip_nan_params = false;
};

// Observes statistics of parameters and their gradients, averaged over
// iterations. Keys are "/l1/W/data/mean", "/l1/W/grad/percentile/0", and so on,
// with "PREFIX" in front. Parameters without a shape and gradients that are
// missing are left out.
class ParameterStatistics final : public Extension {
 public:
  // The links must outlive the extension. ValueError when there are none, one
  // is null, a statistic is no function, or a name comes twice.
  explicit ParameterStatistics(std::vector<Link*> links,
                               const ParameterStatisticsOptions& options = {});
  explicit ParameterStatistics(Link& link,
                               const ParameterStatisticsOptions& options = {})
      : ParameterStatistics(std::vector<Link*>{&link}, options) {}
  explicit ParameterStatistics(const Link&&,
                               const ParameterStatisticsOptions& = {}) =
      delete;  // a temporary would be gone

  // Adds a statistic, or replaces that of the same name. ValueError without a
  // function.
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
