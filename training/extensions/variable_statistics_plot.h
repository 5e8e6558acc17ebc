#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/links/link.h"
#include "catena/training/extension.h"

namespace catena::training::extensions {

class BackgroundPlot;

struct VariableStatisticsPlotOptions {
  NamedFieldsOnly keywords = {};
  // The maximum number of iterations to plot; of more, a uniform random sample.
  int64_t max_sample_size = 1000;
  bool report_data = true;
  bool report_grad = true;
  bool plot_mean = true;
  bool plot_std = true;
  // Percentiles in percent; defaults to those at 0, 1, 2 and 3 standard
  // deviations from the mean of a normal distribution, and the minimum and
  // maximum.
  std::vector<double> percentile_sigmas = {0,     0.13,  2.28,  15.87, 50,
                                           84.13, 97.72, 99.87, 100};
  // When to draw the image; values are collected at each call.
  AnyTrigger trigger = {1, "epoch"};
  // A file in the trainer's folder, whose suffix is the format: png, pdf, svg,
  // ps or eps.
  std::string file_name = "statistics.png";
  // In pixels, or hundredths of an inch.
  int64_t width = 1000;
  int64_t height = 800;
  bool grid = true;
  // The minimum time between images, which are drawn in the background; one is
  // also drawn at the end.
  std::chrono::milliseconds shortest_pause = std::chrono::seconds(2);
};

// Plots statistics of the elements of some variables, taken together, and of
// their gradients over the course of training: mean and standard deviation as a
// band, percentiles as curves. Without gnuplot, prints one line to standard
// error and plots nothing.
class VariableStatisticsPlot final : public Extension {
 public:
  // Throws ValueError when there is no target, a target is undefined, there is
  // nothing to report or plot, a percentile is outside [0, 100], or
  // max_sample_size, width or height < 1.
  explicit VariableStatisticsPlot(
      std::vector<Variable> targets,
      const VariableStatisticsPlotOptions& options = {});
  // All parameters of a link.
  explicit VariableStatisticsPlot(
      const Link& link, const VariableStatisticsPlotOptions& options = {});
  VariableStatisticsPlot(VariableStatisticsPlot&&) noexcept;
  ~VariableStatisticsPlot() override;

  // Whether gnuplot is installed.
  static bool available();

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "VariableStatisticsPlot"; }
  std::string file() const override { return options_.file_name; }
  void initialize(Trainer& trainer) override;
  // Draws the last image and waits for it.
  void finalize() override;
  void serialize(const Serializer& serializer) override;

  // Draws the collected samples to a file and waits. Throws IoError on failure.
  void save_plot(const std::string& file) const;

  // The statistics of one iteration: the requested ones of mean, standard
  // deviation and percentiles, of data, then of gradients. NaN if there are no
  // elements.
  struct Sample {
    int64_t iteration;
    std::vector<double> statistics;
  };
  // In the order of iterations.
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  // The statistics of data, or of gradients.
  void append_statistics(bool of_grad, std::vector<double>& statistics) const;
  size_t statistics_of_each() const;
  void add(Sample sample);
  std::string script() const;
  std::string panel(size_t first, std::string_view title) const;

  std::vector<Variable> targets_;
  VariableStatisticsPlotOptions options_;
  std::vector<Sample> samples_;
  int64_t seen_ = 0;  // samples seen so far
  std::unique_ptr<BackgroundPlot> plot_;
};

}  // namespace catena::training::extensions
