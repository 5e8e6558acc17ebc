#include "catena/training/extensions/plot_report.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iostream>
#include <string_view>

#include "catena/array/error.h"
#include "catena/training/extensions/gnuplot_job.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

// matplotlib's markers and gnuplot's point types.
struct Marker {
  std::string_view name;
  int point_type;
};
constexpr Marker kMarkers[] = {{"", 0},  {"x", 2},  {"+", 1},
                               {"*", 3}, {"o", 7},  {"s", 5},
                               {"^", 9}, {"v", 11}, {"d", 13}};

const Marker* find_marker(std::string_view name) {
  const auto it = std::ranges::find(kMarkers, name, &Marker::name);
  return it == std::end(kMarkers) ? nullptr : &*it;
}

bool warn_without_gnuplot() {
  static std::atomic<bool> warned = false;
  if (PlotReport::available()) return false;
  if (!warned.exchange(true)) {
    std::cerr
        << "PlotReport: gnuplot is not installed, so nothing is plotted\n";
  }
  return true;
}

// A script with its data; curves without points are left out, since gnuplot
// fails on them.
std::string make_script(const std::vector<std::string>& y_keys,
                        const Curves& curves,
                        const PlotReportOptions& options) {
  std::string data;
  std::string plots;
  int blocks = 0;
  for (const std::string& key : y_keys) {
    const auto it = curves.find(key);
    if (it == curves.end()) continue;
    std::string points;
    for (const auto& [x, y] : it->second) {
      if (std::isfinite(y)) points += str(x, " ", y, "\n");
    }
    if (points.empty()) continue;
    data += str("$d", blocks, " << EOD\n", points, "EOD\n");
    plots += str(plots.empty() ? "plot " : ", ", "$d", blocks,
                 " using 1:2 with linespoints pointtype ",
                 find_marker(options.marker)->point_type, " title ",
                 gnuplot_string(key), " noenhanced");
    ++blocks;
  }
  if (plots.empty()) return "";
  return str("set terminal png size 800,600\n",
             options.grid ? "set grid\n" : "", "set xlabel ",
             gnuplot_string(options.x_key), "\nset key outside right top\n",
             data, plots, "\n");
}

}  // namespace

PlotReport::PlotReport(std::vector<std::string> y_keys,
                       const PlotReportOptions& options)
    : y_keys_(std::move(y_keys)), options_(options) {
  if (find_marker(options.marker) == nullptr) {
    raise<ValueError>("PlotReport: expected a marker of x + * o s ^ v d, got '",
                      options.marker, "'");
  }
}

PlotReport::PlotReport(PlotReport&&) noexcept = default;
PlotReport::~PlotReport() = default;

bool PlotReport::available() { return has_gnuplot(); }

void PlotReport::initialize(Trainer& trainer) {
  warn_without_gnuplot();
  path_ = trainer.out_path(options_.file_name);
  last_start_ = std::chrono::steady_clock::now();
}

void PlotReport::operator()(Trainer& trainer) {
  const Observation& observation = trainer.observation();
  Observation chosen;
  for (const std::string& key : y_keys_) {
    if (const auto* value = observation.find(key)) chosen.set(key, *value);
  }
  summary_.add(chosen);
  if (!options_.trigger(trainer)) return;
  Observation means = summary_.compute_mean();
  summary_ = DictSummary();
  means.set("epoch", trainer.updater().epoch());
  means.set("iteration", trainer.updater().iteration());
  if (options_.postprocess) options_.postprocess(means);
  const double x = means[options_.x_key].as_double();
  for (const std::string& key : y_keys_) {
    if (const auto* value = means.find(key)) {
      curves_[key].emplace_back(x, value->as_double());
    }
  }
  is_current_ = false;
  const auto now = std::chrono::steady_clock::now();
  const bool is_early = now - last_start_ < options_.shortest_pause;
  if (!is_early && (job_ == nullptr || job_->is_done())) start_job();
}

void PlotReport::start_job() {
  job_ = nullptr;
  const std::string script = make_script(y_keys_, curves_, options_);
  if (script.empty() || !available()) return;
  job_ = std::make_unique<GnuplotJob>(script, path_);
  last_start_ = std::chrono::steady_clock::now();
  is_current_ = true;
}

void PlotReport::finalize() {
  if (!is_current_) start_job();
  job_ = nullptr;
}

void PlotReport::serialize(const Serializer& serializer) {
  // The original saves the points alone.
  if (serializer.is_writer() || serializer.contains("_summary/_names")) {
    options_.trigger.serialize(serializer["_trigger"]);
    summary_.serialize(serializer["_summary"]);
  }
  const std::string key = "_plot_" + options_.file_name;
  if (serializer.is_writer()) {
    return serializer.write(key, curves_to_json(curves_));
  }
  const SerializedValue* entry = serializer.read(key);
  if (entry == nullptr) return;
  const auto* text = std::get_if<std::string>(entry);
  if (text == nullptr) serializer.fail(key, "text", "something else");
  try {
    serializer.on_commit([this, curves = curves_from_json(*text)] {
      curves_ = curves;
      is_current_ = false;
    });
  } catch (const IoError& error) {
    serializer.fail(key, "curves in JSON", error.what());
  }
}

}  // namespace catena::training::extensions
