#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/links/link.h"
#include "catena/training/extension.h"
#include "catena/training/extensions/missing_keys.h"
#include "catena/training/interval_summary.h"

namespace catena::training {
namespace tensorboard {
class EventWriter;
}

namespace extensions {

struct TensorBoardReportOptions {
  NamedFieldsOnly keywords = {};
  // Values to write; defaults to everything observed.
  std::optional<std::vector<std::string>> keys = std::nullopt;
  // When to write points, the means since the last ones.
  AnyTrigger trigger = {1, "epoch"};
  // Links whose parameters and gradients are also written as histograms, under
  // "data/l1/W" and "grad/l1/W". They must outlive the extension.
  std::vector<Link*> histograms = {};
  // Folder in the trainer's folder.
  std::string folder = "tensorboard";
};

// Writes the means of observed values over iterations for TensorBoard:
//   tensorboard --logdir result/tensorboard
// A resumed run writes another file; points that the earlier run wrote after
// the snapshot are hidden. Warns once on standard error of keys that nothing
// reports.
class TensorBoardReport final : public Extension {
 public:
  // Throws ValueError for an empty folder or a null link.
  explicit TensorBoardReport(const TensorBoardReportOptions& options = {});
  TensorBoardReport(TensorBoardReport&&) noexcept;
  ~TensorBoardReport() override;

  // Throws IoError when the file cannot be written.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "TensorBoardReport"; }
  void initialize(Trainer& trainer) override;
  void on_error(Trainer& trainer, std::exception_ptr error) override;
  void finalize() override;
  void serialize(const Serializer& serializer) override;

  // The writer of the current run, to add other data to the file; null before
  // and after the run.
  tensorboard::EventWriter* writer() const { return writer_.get(); }

 private:
  TensorBoardReportOptions options_;
  IntervalSummary summary_;
  MissingKeys missing_keys_;
  std::unique_ptr<tensorboard::EventWriter> writer_;
};

}  // namespace extensions
}  // namespace catena::training
