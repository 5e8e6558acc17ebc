#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/links/observation.h"
#include "catena/training/extension.h"
#include "catena/training/interval_summary.h"

namespace catena::training::extensions {

struct LogReportOptions {
  // What to log; defaults to everything that is observed.
  std::optional<std::vector<std::string>> keys = std::nullopt;
  // How often an entry is made; values are gathered in each iteration.
  AnyTrigger trigger = {1, "epoch"};
  // May add to an entry before it is logged.
  std::function<void(Observation& entry)> postprocess = nullptr;
  // The file in the trainer's folder; empty for none. It may have fields, the
  // entry's names: "log_{epoch}".
  std::string log_name = "log";
};

// Logs the means of observed values since the last entry, with "epoch",
// "iteration" and "elapsed_time", as a JSON list, which is complete at any
// moment.
class LogReport final : public Extension {
 public:
  explicit LogReport(const LogReportOptions& options = {})
      : options_(options), summary_(options.trigger, options.keys) {}

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "LogReport"; }
  void serialize(const Serializer& serializer) override;

  // All entries so far.
  const std::vector<Observation>& log() const { return log_; }

 private:
  void write(const Trainer& trainer);

  LogReportOptions options_;
  IntervalSummary summary_;
  std::vector<Observation> log_;
  // The file's text but for the end, for the first entries of log_: a long log
  // is not formatted anew each time.
  std::string text_;
  size_t formatted_ = 0;
};

// The LogReport that a trainer knows by that name. ValueError, starting with
// `operation`, when there is none.
const LogReport& find_log_report(const Trainer& trainer, std::string_view name,
                                 std::string_view operation);

}  // namespace catena::training::extensions
