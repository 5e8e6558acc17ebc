#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catena/training/extension.h"
#include "catena/training/interval_summary.h"
#include "catena/training/log_json.h"

namespace catena::training::extensions {

class BackgroundPlot;

struct PlotReportOptions {
  // What the horizontal axis shows: "iteration", "epoch" or another entry that
  // postprocess adds.
  std::string x_key = "iteration";
  // How often a point is added: the mean since the last one.
  AnyTrigger trigger = {1, "epoch"};
  // May change the means before they become points.
  std::function<void(Observation& means)> postprocess = nullptr;
  // A PNG in the trainer's folder.
  std::string file_name = "plot.png";
  // How points are marked: one of matplotlib's x + * o s ^ v d, or empty.
  std::string marker = "x";
  bool grid = true;
  // Images are made in the background, at most this often, and at the end.
  std::chrono::milliseconds shortest_pause = std::chrono::seconds(2);
};

// Plots observed values over the course of training, with gnuplot. Where that
// is missing one line on standard error says so, and nothing is plotted.
class PlotReport final : public Extension {
 public:
  // ValueError on an unknown marker, without a key, or without a file name.
  explicit PlotReport(std::vector<std::string> y_keys,
                      const PlotReportOptions& options = {});
  PlotReport(PlotReport&&) noexcept;
  ~PlotReport() override;

  // Whether gnuplot is installed.
  static bool available();

  // ValueError when there is no entry x_key.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "PlotReport"; }
  void initialize(Trainer& trainer) override;
  // Makes the last image, and waits for it.
  void finalize() override;
  // The points, so that a resumed training plots them all.
  void serialize(const Serializer& serializer) override;

  const Curves& curves() const { return curves_; }

 private:
  std::string script() const;

  std::vector<std::string> y_keys_;
  PlotReportOptions options_;
  IntervalSummary summary_;
  Curves curves_;
  std::unique_ptr<BackgroundPlot> plot_;
};

}  // namespace catena::training::extensions
