#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/links/observation.h"
#include "catena/training/extension.h"
#include "catena/training/extensions/missing_keys.h"
#include "catena/training/interval_summary.h"

namespace catena::training::extensions {

struct LogReportOptions {
  NamedFieldsOnly keywords = {};
  // Values to log; defaults to everything observed.
  std::optional<std::vector<std::string>> keys = std::nullopt;
  // When to add an entry; values are accumulated in each iteration.
  AnyTrigger trigger = {1, "epoch"};
  // May add to an entry before it is logged.
  std::function<void(Observation& entry)> postprocess = nullptr;
  // The file in the trainer's folder; empty for none. May contain fields named
  // as in the entry: "log_{epoch}".
  std::string log_name = "log";
};

// Logs the means of observed values since the last entry, with "epoch",
// "iteration" and "elapsed_time", as a JSON list. The file is valid JSON at any
// time. Warns once on standard error of keys that nothing reports.
class LogReport final : public Extension {
 public:
  explicit LogReport(const LogReportOptions& options = {})
      : options_(options),
        summary_(options.trigger, options.keys),
        missing_keys_("LogReport",
                      options.keys.value_or(std::vector<std::string>())) {}

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "LogReport"; }
  std::string file() const override { return options_.log_name; }
  void initialize(Trainer& trainer) override;
  void on_error(Trainer& trainer, std::exception_ptr error) override;
  void finalize() override { missing_keys_.end(); }
  void serialize(const Serializer& serializer) override;

  // The entries so far.
  const std::vector<Observation>& log() const { return log_; }

 private:
  void write(const Trainer& trainer);

  LogReportOptions options_;
  IntervalSummary summary_;
  MissingKeys missing_keys_;
  std::vector<Observation> log_;
  // The formatted text of the first entries of log_, without the end of the
  // file, so that a long log is not reformatted each time.
  std::string text_;
  size_t formatted_ = 0;
};

// Warns, once, of an extension that runs before the LogReport whose entries it
// shows: it then lacks the last one.
void check_runs_after(const LogReport& log_report, const Extension& extension,
                      Trainer& trainer);

// The trainer's LogReport of that name. Throws ValueError, starting with
// `operation`, when there is none.
const LogReport& find_log_report(const Trainer& trainer, std::string_view name,
                                 std::string_view operation);

}  // namespace catena::training::extensions
