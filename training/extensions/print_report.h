#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "catena/training/extension.h"
#include "catena/training/extensions/log_report.h"

namespace catena::training::extensions {

struct PrintReportOptions {
  // The LogReport whose entries are printed: its name in the trainer, or a
  // separate LogReport used only for this table.
  std::variant<std::string, std::shared_ptr<LogReport>> log_report =
      std::string("LogReport");
  // The output stream, which must outlive the extension; null: standard output.
  std::ostream* out = nullptr;
};

// Prints selected values of each new log entry as a row of a table, with blanks
// for missing values. Add the LogReport to the trainer first, so that it runs
// first.
class PrintReport final : public Extension {
 public:
  // ValueError without entries or with a null LogReport.
  explicit PrintReport(std::vector<std::string> entries,
                       const PrintReportOptions& options = {});

  // ValueError when there is no such LogReport.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "PrintReport"; }
  void serialize(const Serializer& serializer) override;

 private:
  const LogReport& log_report(Trainer& trainer) const;
  std::string header() const;
  std::string row(const Observation& entry) const;

  std::vector<std::string> entries_;
  PrintReportOptions options_;
  size_t printed_ = 0;
  bool has_header_ = false;
};

}  // namespace catena::training::extensions
