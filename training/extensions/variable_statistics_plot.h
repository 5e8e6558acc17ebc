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
  // The number of iterations to plot: if there are more, a random sample of
  // them with equal chances.
  int64_t max_sample_size = 1000;
  bool report_data = true;
  bool report_grad = true;
  bool plot_mean = true;
  bool plot_std = true;
  // Percentiles in per cent; those of 0, 1, 2, 3 standard deviations around the
  // mean of a normal distribution, and the least and largest value.
  std::vector<double> percentile_sigmas = {0,     0.13,  2.28,  15.87, 50,
                                           84.13, 97.72, 99.87, 100};
  // How often the image is drawn; values are gathered at each call.
  AnyTrigger trigger = {1, "epoch"};
  // A PNG in the trainer's folder.
  std::string file_name = "statistics.png";
  // Pixels.
  int64_t width = 1000;
  int64_t height = 800;
  bool grid = true;
  // Images are made in the background, at most this often, and at the end.
  std::chrono::milliseconds shortest_pause = std::chrono::seconds(2);
};

// Plots statistics of the elements of some variables, all taken together, and
// of their gradients over the course of training: mean and standard deviation
// as a band, percentiles as curves. With gnuplot; where that is missing one
// line on standard error says so, and nothing is plotted.
class VariableStatisticsPlot final : public Extension {
 public:
  // ValueError when there is no target, one is undefined, nothing is to be
  // reported or plotted, a percentile is outside of [0, 100], or
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
  void initialize(Trainer& trainer) override;
  // Makes the last image, and waits for it.
  void finalize() override;
  void serialize(const Serializer& serializer) override;

  // Draws what was gathered into a file, and waits. IoError.
  void save_plot(const std::string& file) const;

  // What was gathered in one iteration: mean, standard deviation and
  // percentiles, as far as they are asked for, of data, then of gradients. NaN
  // where there were no elements.
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
  int64_t seen_ = 0;  // samples that were offered
  std::unique_ptr<BackgroundPlot> plot_;
};

}  // namespace catena::training::extensions
