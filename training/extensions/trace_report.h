#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "catena/training/extension.h"

namespace catena::training::extensions {

struct TraceReportOptions {
  NamedFieldsOnly keywords = {};
  // File in the trainer's folder.
  std::string filename = "trace.json";
  // How many iterations to skip, while memory pools fill and kernels are
  // chosen, and how many to record after them.
  int64_t skip = 5;
  int64_t iterations = 10;
};

// Records where the time of a few iterations goes, for Perfetto
// (ui.perfetto.dev) or Chrome (about:tracing): the update with its iterator,
// converter, functions forward and backward, and optimizer; the extensions; the
// threads that run kernels and read data; the memory pools; and with CUDA what
// the streams do. docs/profiling.md shows how to read it.
class TraceReport final : public Extension {
 public:
  // Throws ValueError when filename is empty, skip < 0 or iterations < 1.
  explicit TraceReport(const TraceReportOptions& options = {});
  ~TraceReport() override;
  TraceReport(TraceReport&&) noexcept;
  TraceReport& operator=(TraceReport&&) noexcept;

  // Throws ValueError when another trace is recording.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "TraceReport"; }
  std::string file() const override { return options_.filename; }
  // Before all others, so that each iteration is recorded with its extensions.
  int priority() const override { return 1000; }
  void initialize(Trainer& trainer) override;
  // Writes the iterations so far if training ends early.
  void finalize() override;

 private:
  struct Recording;

  void write();

  TraceReportOptions options_;
  std::string path_;
  int64_t seen_ = 0;
  std::unique_ptr<Recording> recording_;
};

}  // namespace catena::training::extensions
