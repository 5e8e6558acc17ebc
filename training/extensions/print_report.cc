#include "catena/training/extensions/print_report.h"

#include <algorithm>
#include <ostream>

#include "catena/array/error.h"
#include "catena/training/extensions/terminal.h"
#include "catena/training/number_text.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

constexpr size_t kNarrowest = 10;

std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

size_t width_of(const std::string& entry) {
  return std::max(kNarrowest, entry.size());
}

}  // namespace

PrintReport::PrintReport(std::vector<std::string> entries,
                         const PrintReportOptions& options)
    : entries_(std::move(entries)), options_(options) {
  if (entries_.empty()) {
    raise<ValueError>("PrintReport: expected entries to print, got none");
  }
  const auto* own =
      std::get_if<std::shared_ptr<LogReport>>(&options_.log_report);
  if (own != nullptr && *own == nullptr) {
    raise<ValueError>("PrintReport: expected a LogReport, got a null pointer");
  }
}

const LogReport& PrintReport::log_report(Trainer& trainer) const {
  if (const auto* own =
          std::get_if<std::shared_ptr<LogReport>>(&options_.log_report)) {
    (**own)(trainer);
    return **own;
  }
  return find_log_report(trainer, std::get<std::string>(options_.log_report),
                         "PrintReport");
}

std::string PrintReport::header() const {
  std::string line;
  for (const std::string& entry : entries_) {
    line += (line.empty() ? "" : "  ") + padded(entry, width_of(entry));
  }
  return line + "\n";
}

std::string PrintReport::row(const Observation& entry) const {
  std::string line;
  for (const std::string& name : entries_) {
    const ObservedValue* value = entry.find(name);
    const std::string text = value ? number_text(value->as_double()) : "";
    line += padded(text, width_of(name)) + "  ";
  }
  return line + "\n";
}

void PrintReport::operator()(Trainer& trainer) {
  const LogReport& report = log_report(trainer);
  if (has_header_ && printed_ >= report.log().size()) return;
  std::string text;
  if (!has_header_) text += header();
  has_header_ = true;
  for (; printed_ < report.log().size(); ++printed_) {
    text += row(report.log()[printed_]);
  }
  const Terminal terminal(options_.out);
  // Clears a progress bar in this line.
  if (terminal.has_cursor()) terminal.out() << kClearToEnd;
  terminal.out() << text << std::flush;
}

void PrintReport::serialize(const Serializer& serializer) {
  if (const auto* own =
          std::get_if<std::shared_ptr<LogReport>>(&options_.log_report)) {
    (*own)->serialize(serializer["_log_report"]);
  }
}

}  // namespace catena::training::extensions
