#include "catena/training/extensions/log_report.h"

#include <memory>

#include "catena/array/core/error.h"
#include "catena/array/core/warn_once.h"
#include "catena/array/io/atomic_file.h"
#include "catena/training/log_json.h"
#include "catena/training/name_template.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

constexpr int kIndent = 4;

}  // namespace

void LogReport::initialize(Trainer& trainer) {
  missing_keys_.begin(trainer.updater().epoch());
}

void LogReport::on_error(Trainer& /*trainer*/, std::exception_ptr /*error*/) {
  missing_keys_.cancel();
}

void LogReport::operator()(Trainer& trainer) {
  missing_keys_.add(trainer.observation());
  std::optional<Observation> means =
      summary_.add(trainer.observation(), trainer);
  if (!means) return;
  Observation& entry = *means;
  entry.set("epoch", trainer.updater().epoch());
  entry.set("iteration", trainer.updater().iteration());
  entry.set("elapsed_time", trainer.elapsed_time());
  if (options_.postprocess) options_.postprocess(entry);
  missing_keys_.add(entry);
  missing_keys_.check(trainer.updater().epoch());
  log_.push_back(std::move(entry));
  if (!options_.log_name.empty()) write(trainer);
}

void LogReport::write(const Trainer& trainer) {
  const Observation& last = log_.back();
  const std::string name = fill_name(
      options_.log_name,
      [&](std::string_view field) -> std::optional<ObservedValue> {
        const ObservedValue* value = last.find(field);
        return value ? std::optional(*value) : std::nullopt;
      },
      "LogReport");
  for (; formatted_ < log_.size(); ++formatted_) {
    // At once, so that an entry is there whole even after a failure.
    text_ += (formatted_ == 0 ? "[\n" : ",\n") + std::string(kIndent, ' ') +
             log_entry_to_json(log_[formatted_], kIndent);
  }
  array::AtomicFile file(trainer.out_path(name), "LogReport");
  file.write(text_);
  file.write(std::string_view("\n]"));
  file.commit();
}

void LogReport::serialize(const Serializer& serializer) {
  summary_.serialize(serializer);
  if (serializer.is_writer()) {
    return serializer.write("_log", log_to_json(log_, 0));
  }
  const SerializedValue* entry = serializer.read("_log");
  if (entry == nullptr) return;
  const auto* text = std::get_if<std::string>(entry);
  if (text == nullptr) serializer.fail("_log", "text", describe(*entry));
  try {
    serializer.on_commit([this, log = log_from_json(*text)]() mutable {
      log_ = std::move(log);
      text_.clear();
      formatted_ = 0;
    });
  } catch (const IoError& error) {
    serializer.fail("_log", "a log in JSON", error.what());
  }
}

void check_runs_after(const LogReport& log_report, const Extension& extension,
                      Trainer& trainer) {
  if (trainer.runs_before(log_report, extension)) return;
  warn_once("order of " + extension.name(), [&] {
    return str(extension.name(), ": expected '", log_report.name(),
               "' to run before it, got it after: what it shows lacks the last "
               "entry; extend the trainer with the LogReport first");
  });
}

const LogReport& find_log_report(const Trainer& trainer, std::string_view name,
                                 std::string_view operation) {
  try {
    return trainer.get_extension<LogReport>(name);
  } catch (const ValueError& error) {
    raise<ValueError>(operation, ": ", error.what(),
                      "; extend the trainer with a LogReport first");
  }
}

}  // namespace catena::training::extensions
