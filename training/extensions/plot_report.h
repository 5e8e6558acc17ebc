#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catena/training/extension.h"
#include "catena/training/extensions/missing_keys.h"
#include "catena/training/interval_summary.h"
#include "catena/training/log_json.h"

namespace catena::training::extensions {

class BackgroundPlot;

struct PlotReportOptions {
  NamedFieldsOnly keywords = {};
  // The horizontal axis: "iteration", "epoch" or another entry that postprocess
  // adds.
  std::string x_key = "iteration";
  // When to add a point, the mean since the last one.
  AnyTrigger trigger = {1, "epoch"};
  // May change the means before they become points.
  std::function<void(Observation& means)> postprocess = nullptr;
  // A file in the trainer's folder, whose suffix is the format: png (640 x 480
  // pixels), pdf, svg, ps or eps (6.4 x 4.8 inches).
  std::string file_name = "plot.png";
  // The marker of points: one of matplotlib's x + * o s ^ v d, or empty. Of
  // many points, only some are marked.
  std::string marker = "x";
  bool grid = true;
  // The minimum time between images, which are drawn in the background; one is
  // also drawn at the end.
  std::chrono::milliseconds shortest_pause = std::chrono::seconds(2);
};

// Plots observed values over the course of training, with gnuplot. Curves have
// different colours and dashes; the legend is in the corner where it hides
// least of them, or below the axes. Without gnuplot, prints one line to
// standard error and plots nothing. Also warns there once of y_keys that
// nothing reports.
class PlotReport final : public Extension {
 public:
  // Throws ValueError for an unknown marker, no y_keys, no file name or one of
  // another format.
  explicit PlotReport(std::vector<std::string> y_keys,
                      const PlotReportOptions& options = {});
  PlotReport(PlotReport&&) noexcept;
  ~PlotReport() override;

  // Whether gnuplot is installed.
  static bool available();

  // Throws ValueError when there is no entry x_key.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "PlotReport"; }
  std::string file() const override { return options_.file_name; }
  void initialize(Trainer& trainer) override;
  void on_error(Trainer& trainer, std::exception_ptr error) override;
  // Draws the last image and waits for it.
  void finalize() override;
  // The points, so that a resumed run plots all of them.
  void serialize(const Serializer& serializer) override;

  const Curves& curves() const { return curves_; }

 private:
  std::string script() const;

  std::vector<std::string> y_keys_;
  PlotReportOptions options_;
  IntervalSummary summary_;
  MissingKeys missing_keys_;
  Curves curves_;
  std::unique_ptr<BackgroundPlot> plot_;
};

}  // namespace catena::training::extensions
