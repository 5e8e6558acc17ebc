#include "catena/training/extensions/trace_report.h"

#include <sstream>

#include "catena/array/core/error.h"
#include "catena/array/core/trace.h"
#include "catena/array/io/atomic_file.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_hooks/trace_hook.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

struct TraceReport::Recording {
  Trace trace;
  function_hooks::TraceHook hook;
  FunctionHookScope scope{hook};
};

TraceReport::TraceReport(const TraceReportOptions& options)
    : options_(options) {
  if (options_.filename.empty()) {
    raise<ValueError>("TraceReport: expected a filename, got none");
  }
  if (options_.skip < 0 || options_.iterations < 1) {
    raise<ValueError>(
        "TraceReport: expected skip >= 0 and iterations >= 1, got ",
        options_.skip, " and ", options_.iterations);
  }
}

TraceReport::~TraceReport() = default;
TraceReport::TraceReport(TraceReport&&) noexcept = default;
TraceReport& TraceReport::operator=(TraceReport&&) noexcept = default;

void TraceReport::initialize(Trainer& trainer) {
  path_ = trainer.out_path(options_.filename);
  set_trace_thread_name("training");
  if (options_.skip == 0) recording_ = std::make_unique<Recording>();
}

void TraceReport::operator()(Trainer& /*trainer*/) {
  ++seen_;
  if (recording_ != nullptr) {
    if (seen_ - options_.skip == options_.iterations) write();
  } else if (seen_ == options_.skip) {
    recording_ = std::make_unique<Recording>();
  }
}

void TraceReport::finalize() {
  if (recording_ != nullptr) write();
}

void TraceReport::write() {
  const std::unique_ptr<Recording> done = std::move(recording_);
  done->hook.finish();
  done->trace.stop();
  std::ostringstream text;
  done->trace.write(text);
  array::AtomicFile file(path_, "TraceReport");
  file.write(text.view());
  file.commit();
}

}  // namespace catena::training::extensions
