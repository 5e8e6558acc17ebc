#include "catena/training/extensions/print_report.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "catena/array/core/error.h"
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
    : entries_(std::move(entries)),
      options_(options),
      missing_keys_("PrintReport", entries_) {
  if (entries_.empty()) {
    raise<ValueError>("PrintReport: expected entries to print, got none");
  }
  const auto* own =
      std::get_if<std::shared_ptr<LogReport>>(&options_.log_report);
  if (own != nullptr && *own == nullptr) {
    raise<ValueError>("PrintReport: expected a LogReport, got a null pointer");
  }
}

LogReport* PrintReport::own_log_report() const {
  const auto* own =
      std::get_if<std::shared_ptr<LogReport>>(&options_.log_report);
  return own != nullptr ? own->get() : nullptr;
}

const LogReport& PrintReport::log_report(Trainer& trainer) const {
  if (LogReport* own = own_log_report()) {
    (*own)(trainer);
    return *own;
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

void PrintReport::initialize(Trainer& trainer) {
  missing_keys_.begin(trainer.updater().epoch());
  if (LogReport* own = own_log_report()) {
    own->initialize(trainer);
  } else {
    check_runs_after(log_report(trainer), *this, trainer);
  }
}

void PrintReport::on_error(Trainer& trainer, std::exception_ptr error) {
  missing_keys_.cancel();
  if (LogReport* own = own_log_report())
    own->on_error(trainer, std::move(error));
}

void PrintReport::finalize() {
  missing_keys_.end();
  if (LogReport* own = own_log_report()) own->finalize();
}

void PrintReport::operator()(Trainer& trainer) {
  const LogReport& report = log_report(trainer);
  if (has_header_ && printed_ >= report.log().size()) return;
  std::string text;
  if (!has_header_) text += header();
  has_header_ = true;
  for (; printed_ < report.log().size(); ++printed_) {
    const Observation& entry = report.log()[printed_];
    missing_keys_.add(entry);
    text += row(entry);
  }
  const Terminal terminal(options_.out);
  // Clears a progress bar in this line.
  if (terminal.has_cursor()) terminal.out() << kClearToEnd;
  terminal.out() << text << std::flush;
  missing_keys_.check(trainer.updater().epoch());
}

void PrintReport::serialize(const Serializer& serializer) {
  if (LogReport* own = own_log_report()) {
    own->serialize(serializer["_log_report"]);
  }
}

}  // namespace catena::training::extensions
