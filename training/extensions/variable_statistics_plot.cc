#include "catena/training/extensions/variable_statistics_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/statistics/order.h"
#include "catena/training/extensions/gnuplot_job.h"
#include "catena/training/extensions/gnuplot_style.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

constexpr const char* kName = "VariableStatisticsPlot";

std::vector<Variable> variables_of(const Link& link) {
  std::vector<Variable> variables;
  for (const Parameter& param : link.params()) variables.push_back(param);
  return variables;
}

void check(const std::vector<Variable>& targets,
           const VariableStatisticsPlotOptions& options) {
  if (targets.empty()) {
    raise<ValueError>(kName, ": expected variables, got none");
  }
  for (const Variable& target : targets) {
    if (!target.defined()) {
      raise<ValueError>(kName, ": expected variables, got an undefined one");
    }
  }
  if (!options.report_data && !options.report_grad) {
    raise<ValueError>(
        kName, ": expected report_data or report_grad, got neither of them");
  }
  if (!options.plot_mean && !options.plot_std &&
      options.percentile_sigmas.empty()) {
    raise<ValueError>(kName,
                      ": expected plot_mean, plot_std or percentile_sigmas, "
                      "got none of them");
  }
  for (const double percent : options.percentile_sigmas) {
    if (percent >= 0 && percent <= 100) continue;
    raise<ValueError>(kName, ": expected percentile_sigmas in [0, 100], got ",
                      percent);
  }
  const auto check_positive = [](int64_t value, std::string_view name) {
    if (value >= 1) return;
    raise<ValueError>(kName, ": expected ", name, " >= 1, got ", value);
  };
  check_positive(options.max_sample_size, "max_sample_size");
  check_positive(options.width, "width");
  check_positive(options.height, "height");
  static_cast<void>(plot_format(kName, options.file_name));
}

// A pseudorandom number in [0, n) that depends only on n, so no generator state
// is needed or saved. (SplitMix64's mixing.)
int64_t scattered(int64_t n) {
  uint64_t x = static_cast<uint64_t>(n) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<int64_t>(x % static_cast<uint64_t>(n));
}

}  // namespace

VariableStatisticsPlot::VariableStatisticsPlot(
    std::vector<Variable> targets, const VariableStatisticsPlotOptions& options)
    : targets_(std::move(targets)),
      options_(options),
      plot_(std::make_unique<BackgroundPlot>(kName, options.shortest_pause)) {
  check(targets_, options_);
}

VariableStatisticsPlot::VariableStatisticsPlot(
    const Link& link, const VariableStatisticsPlotOptions& options)
    : VariableStatisticsPlot(variables_of(link), options) {}

VariableStatisticsPlot::VariableStatisticsPlot(
    VariableStatisticsPlot&&) noexcept = default;
VariableStatisticsPlot::~VariableStatisticsPlot() = default;

bool VariableStatisticsPlot::available() { return has_gnuplot(); }

void VariableStatisticsPlot::initialize(Trainer& trainer) {
  plot_->begin(trainer.out_path(options_.file_name));
}

void VariableStatisticsPlot::finalize() {
  plot_->finish([this] { return script(); });
}

size_t VariableStatisticsPlot::statistics_of_each() const {
  return size_t{options_.plot_mean} + size_t{options_.plot_std} +
         options_.percentile_sigmas.size();
}

void VariableStatisticsPlot::operator()(Trainer& trainer) {
  Sample sample{trainer.updater().iteration(), {}};
  if (options_.report_data) append_statistics(false, sample.statistics);
  if (options_.report_grad) append_statistics(true, sample.statistics);
  add(std::move(sample));
  if (options_.trigger(trainer)) plot_->update([this] { return script(); });
}

void VariableStatisticsPlot::append_statistics(
    bool of_grad, std::vector<double>& statistics) const {
  std::vector<Array> parts;
  for (const Variable& target : targets_) {
    const Array part = of_grad ? target.grad() : target.data();
    if (part.defined() && part.size() > 0) parts.push_back(part.ravel());
  }
  if (parts.empty()) {
    statistics.resize(statistics.size() + statistics_of_each(),
                      std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (Array& part : parts) part = part.to_device(parts[0].device());
  const Array all = array::concatenate(parts);
  if (options_.plot_mean) {
    statistics.push_back(array::mean(all).item<double>());
  }
  if (options_.plot_std) {
    statistics.push_back(array::std(all).item<double>());
  }
  if (options_.percentile_sigmas.empty()) return;
  const Array percentiles = array::percentile(all, options_.percentile_sigmas)
                                .to_device(native_device());
  for (int64_t i = 0; i < percentiles.size(); ++i) {
    statistics.push_back(percentiles[i].item<double>());
  }
}

// Reservoir sampling (Vitter 1985, algorithm R), in the order of iterations.
void VariableStatisticsPlot::add(Sample sample) {
  ++seen_;
  if (samples_.size() >= static_cast<size_t>(options_.max_sample_size)) {
    const int64_t place = scattered(seen_);
    if (place >= options_.max_sample_size) return;
    samples_.erase(samples_.begin() + place);
  }
  samples_.push_back(std::move(sample));
}

std::string VariableStatisticsPlot::panel(size_t first,
                                          std::string_view title) const {
  std::string rows;
  for (const Sample& sample : samples_) {
    std::string row = str(sample.iteration);
    bool is_complete = true;
    for (size_t i = 0; i < statistics_of_each(); ++i) {
      const double value = sample.statistics[first + i];
      is_complete = is_complete && std::isfinite(value);
      row += str(" ", value);
    }
    // gnuplot fails on curves without points and cannot read NaN.
    if (is_complete) rows += row + "\n";
  }
  if (rows.empty()) return "";
  const std::string block = str("$d", first);
  std::string curves;
  const auto curve = [&](size_t column, const std::string& name) {
    curves += str(curves.empty() ? "plot " : ", ", block, " using 1:", column,
                  " with lines ", gnuplot_line(column - 2), " title ",
                  gnuplot_string(name), " noenhanced");
  };
  size_t column = 2;
  if (options_.plot_mean && options_.plot_std) {
    curves +=
        str("plot ", block, " using 1:($", column, "-$", column + 1, "):($",
            column, "+$", column + 1, ") with filledcurves ", gnuplot_line(0),
            " fillstyle transparent solid 0.2 noborder title ",
            gnuplot_string("mean +- std"), " noenhanced");
  }
  if (options_.plot_mean) curve(column++, "mean");
  if (options_.plot_std) curve(column++, "std");
  for (const double percent : options_.percentile_sigmas) {
    curve(column++, str(percent, "%"));
  }
  return str("set title ", gnuplot_string(std::string(title)), "\n", block,
             " << EOD\n", rows, "EOD\n", curves, "\n");
}

std::string VariableStatisticsPlot::script() const {
  std::vector<std::string> panels;
  size_t first = 0;
  if (options_.report_data) {
    panels.push_back(panel(first, "data"));
    first += statistics_of_each();
  }
  if (options_.report_grad) panels.push_back(panel(first, "grad"));
  std::erase(panels, "");
  if (panels.empty()) return "";
  // Curves fill the axes, so the legend is beside them. A fixed left margin
  // aligns the panels.
  const double first_x = static_cast<double>(samples_.front().iteration);
  const double last_x = static_cast<double>(samples_.back().iteration);
  std::string text =
      str(gnuplot_style(plot_format(kName, options_.file_name), options_.width,
                        options_.height, options_.grid),
          gnuplot_x_tics(first_x, last_x,
                         0.7 * static_cast<double>(options_.width)),
          "set xlabel \"iteration\"\nset lmargin 10\n"
          "set key outside right top Left reverse samplen 3 spacing 1.2\n"
          "set multiplot layout ",
          panels.size(), ",1\n");
  for (const std::string& panel : panels) text += panel;
  return text + "unset multiplot\n";
}

void VariableStatisticsPlot::save_plot(const std::string& file) const {
  const std::string text = script();
  if (text.empty()) return;
  GnuplotJob(kName, text, file).wait();
}

void VariableStatisticsPlot::serialize(const Serializer& serializer) {
  options_.trigger.serialize(serializer["_trigger"]);
  const auto width =
      static_cast<int64_t>(statistics_of_each()) *
          (int64_t{options_.report_data} + int64_t{options_.report_grad}) +
      1;
  // A row for each sample: the iteration, then its statistics.
  Array table;
  if (serializer.is_writer()) {
    table = array::empty({static_cast<int64_t>(samples_.size()), width},
                         Dtype::kFloat64, native_device());
    double* out = table.data<double>();
    for (const Sample& sample : samples_) {
      *out++ = static_cast<double>(sample.iteration);
      out = std::ranges::copy(sample.statistics, out).out;
    }
    serializer("_seen", seen_);
    return serializer.write("_samples", table);
  }
  constexpr int64_t kMax = int64_t{1} << 52;
  const std::optional<int64_t> seen = serializer.number<int64_t>("_seen");
  if (seen && (*seen < 0 || *seen > kMax)) {
    serializer.fail("_seen", "a count", str(*seen));
  }
  const SerializedValue* entry = serializer.read("_samples");
  if (entry == nullptr) return;
  const Array* read = std::get_if<Array>(entry);
  if (read == nullptr || read->ndim() != 2 || read->shape()[1] != width) {
    serializer.fail("_samples", str("an array (N, ", width, ")"),
                    describe(*entry));
  }
  table = read->astype(Dtype::kFloat64).contiguous();
  std::vector<Sample> samples;
  const double* row = table.data<double>();
  for (int64_t i = 0; i < table.shape()[0]; ++i, row += width) {
    if (!(row[0] >= 0 && row[0] <= static_cast<double>(kMax))) {
      serializer.fail("_samples", "iterations in its first column",
                      str(row[0]));
    }
    samples.push_back({static_cast<int64_t>(row[0]), {row + 1, row + width}});
  }
  serializer.on_commit([this, samples, seen]() mutable {
    seen_ = seen.value_or(static_cast<int64_t>(samples.size()));
    samples_ = std::move(samples);
    plot_->mark_changed();
  });
}

}  // namespace catena::training::extensions
