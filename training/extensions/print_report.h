#pragma once

#include <exception>
#include <iosfwd>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "catena/training/extension.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/missing_keys.h"

namespace catena::training::extensions {

struct PrintReportOptions {
  NamedFieldsOnly keywords = {};
  // The LogReport whose entries are printed: its name in the trainer, or a
  // separate LogReport used only for this table.
  std::variant<std::string, std::shared_ptr<LogReport>> log_report =
      std::string("LogReport");
  // The output stream, which must outlive the extension; null: standard output.
  std::ostream* out = nullptr;
};

// Prints selected values of each new log entry as a row of a table, with blanks
// for missing values, and warns once on standard error of entries that no log
// entry has. Add the LogReport to the trainer first, so that it runs
// first.
class PrintReport final : public Extension {
 public:
  // Throws ValueError when there are no entries, or the LogReport is null.
  explicit PrintReport(std::vector<std::string> entries,
                       const PrintReportOptions& options = {});

  // Throws ValueError when there is no such LogReport.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "PrintReport"; }
  void initialize(Trainer& trainer) override;
  void on_error(Trainer& trainer, std::exception_ptr error) override;
  void finalize() override;
  void serialize(const Serializer& serializer) override;

 private:
  // The LogReport that only this table uses, or null.
  LogReport* own_log_report() const;
  const LogReport& log_report(Trainer& trainer) const;
  std::string header() const;
  std::string row(const Observation& entry) const;

  std::vector<std::string> entries_;
  PrintReportOptions options_;
  MissingKeys missing_keys_;
  size_t printed_ = 0;
  bool has_header_ = false;
};

}  // namespace catena::training::extensions
