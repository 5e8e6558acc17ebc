#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/links/link.h"
#include "catena/training/extension.h"
#include "catena/training/interval_summary.h"

namespace catena::training {
namespace tensorboard {
class EventWriter;
}

namespace extensions {

struct TensorBoardReportOptions {
  // What to write; defaults to everything that is observed.
  std::optional<std::vector<std::string>> keys = std::nullopt;
  // How often points are written: the means since the last ones.
  AnyTrigger trigger = {1, "epoch"};
  // Links whose parameters and gradients are written as histograms at the same
  // times, under "data/l1/W" and "grad/l1/W". They must outlive the extension.
  std::vector<Link*> histograms = {};
  // In the trainer's folder.
  std::string folder = "tensorboard";
};

// Writes the means of observed values, over iterations, for TensorBoard:
//   tensorboard --logdir result/tensorboard
// A training that is resumed writes another file; what the former one wrote
// beyond the snapshot is hidden.
class TensorBoardReport final : public Extension {
 public:
  // ValueError without a folder, and for a null link.
  explicit TensorBoardReport(const TensorBoardReportOptions& options = {});
  TensorBoardReport(TensorBoardReport&&) noexcept;
  ~TensorBoardReport() override;

  // IoError when the file cannot be written.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "TensorBoardReport"; }
  void initialize(Trainer& trainer) override;
  void finalize() override;
  void serialize(const Serializer& serializer) override;

  // The writer of the current training, for whatever else belongs in the file;
  // null before and after it.
  tensorboard::EventWriter* writer() const { return writer_.get(); }

 private:
  TensorBoardReportOptions options_;
  IntervalSummary summary_;
  std::unique_ptr<tensorboard::EventWriter> writer_;
};

}  // namespace extensions
}  // namespace catena::training
