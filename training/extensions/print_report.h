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
  // The LogReport whose entries are printed: its name in the trainer, or one
  // that is in no trainer and works for this table alone.
  std::variant<std::string, std::shared_ptr<LogReport>> log_report =
      std::string("LogReport");
  // Where to; null stands for standard output. It must outlive the extension.
  std::ostream* out = nullptr;
};

// Prints some values of each new entry of a log as the row of a table, with
// blanks where an entry lacks one. Extend the trainer with the LogReport
// first, so that it runs first.
class PrintReport final : public Extension {
 public:
  // ValueError without entries or LogReport.
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
