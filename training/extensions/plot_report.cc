#include "catena/training/extensions/plot_report.h"

#include <algorithm>
#include <cmath>
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

// A script with its data; curves without points are skipped, since gnuplot
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
    : y_keys_(std::move(y_keys)),
      options_(options),
      summary_(options.trigger, y_keys_),
      plot_(std::make_unique<BackgroundPlot>("PlotReport",
                                             options.shortest_pause)) {
  if (find_marker(options.marker) == nullptr) {
    raise<ValueError>("PlotReport: expected a marker of x + * o s ^ v d, got '",
                      options.marker, "'");
  }
  if (y_keys_.empty()) {
    raise<ValueError>("PlotReport: expected y_keys to plot, got none");
  }
  if (options.file_name.empty()) {
    raise<ValueError>("PlotReport: expected a file_name, got none");
  }
}

PlotReport::PlotReport(PlotReport&&) noexcept = default;
PlotReport::~PlotReport() = default;

bool PlotReport::available() { return has_gnuplot(); }

void PlotReport::initialize(Trainer& trainer) {
  plot_->begin(trainer.out_path(options_.file_name));
}

void PlotReport::operator()(Trainer& trainer) {
  std::optional<Observation> gathered =
      summary_.add(trainer.observation(), trainer);
  if (!gathered) return;
  Observation& means = *gathered;
  means.set("epoch", trainer.updater().epoch());
  means.set("iteration", trainer.updater().iteration());
  if (options_.postprocess) options_.postprocess(means);
  const double x = means[options_.x_key].as_double();
  for (const std::string& key : y_keys_) {
    if (const auto* value = means.find(key)) {
      curves_[key].emplace_back(x, value->as_double());
    }
  }
  plot_->update([this] { return script(); });
}

std::string PlotReport::script() const {
  return make_script(y_keys_, curves_, options_);
}

void PlotReport::finalize() {
  plot_->finish([this] { return script(); });
}

void PlotReport::serialize(const Serializer& serializer) {
  // Chainer saves only the points.
  if (serializer.is_writer() || serializer.contains("_summary/_names")) {
    summary_.serialize(serializer);
  }
  const std::string key = "_plot_" + options_.file_name;
  if (serializer.is_writer()) {
    return serializer.write(key, curves_to_json(curves_));
  }
  const SerializedValue* entry = serializer.read(key);
  if (entry == nullptr) return;
  const auto* text = std::get_if<std::string>(entry);
  if (text == nullptr) serializer.fail(key, "text", describe(*entry));
  try {
    serializer.on_commit([this, curves = curves_from_json(*text)] {
      curves_ = curves;
      plot_->mark_changed();
    });
  } catch (const IoError& error) {
    serializer.fail(key, "curves in JSON", error.what());
  }
}

}  // namespace catena::training::extensions
