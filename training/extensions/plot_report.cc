#include "catena/training/extensions/plot_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/training/extensions/gnuplot_job.h"
#include "catena/training/extensions/gnuplot_style.h"
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

// The size of an image in pixels.
constexpr int64_t kWidth = 640;
constexpr int64_t kHeight = 480;
// About how many markers a long curve gets, so that they do not hide it.
constexpr size_t kMaxMarkers = 25;

// A script with its data; curves without points are skipped, since gnuplot
// fails on them.
std::string make_script(const std::vector<std::string>& y_keys,
                        const Curves& curves,
                        const PlotReportOptions& options) {
  std::vector<PlotCurve> drawn;
  for (const std::string& key : y_keys) {
    const auto it = curves.find(key);
    if (it == curves.end()) continue;
    PlotCurve curve{key, {}};
    for (const auto& point : it->second) {
      if (std::isfinite(point.second)) curve.points.push_back(point);
    }
    if (!curve.points.empty()) drawn.push_back(std::move(curve));
  }
  if (drawn.empty()) return "";
  std::string data;
  std::string plots;
  for (size_t i = 0; i < drawn.size(); ++i) {
    const auto& [name, points] = drawn[i];
    data += str("$d", i, " << EOD\n");
    for (const auto& [x, y] : points) data += str(x, " ", y, "\n");
    data += "EOD\n";
    plots += str(i == 0 ? "plot " : ", ", "$d", i,
                 " using 1:2 with linespoints ", gnuplot_line(i), " pointtype ",
                 find_marker(options.marker)->point_type,
                 " pointsize 0.8 pointinterval ",
                 (points.size() + kMaxMarkers - 1) / kMaxMarkers, " title ",
                 gnuplot_string(name), " noenhanced");
  }
  return str(gnuplot_style(plot_format("PlotReport", options.file_name), kWidth,
                           kHeight, options.grid),
             "set xlabel ", gnuplot_string(options.x_key), " noenhanced\n",
             gnuplot_axes(drawn, kWidth, kHeight), data, plots, "\n");
}

}  // namespace

PlotReport::PlotReport(std::vector<std::string> y_keys,
                       const PlotReportOptions& options)
    : y_keys_(std::move(y_keys)),
      options_(options),
      summary_(options.trigger, y_keys_),
      missing_keys_("PlotReport", y_keys_),
      plot_(std::make_unique<BackgroundPlot>("PlotReport",
                                             options.shortest_pause)) {
  if (find_marker(options.marker) == nullptr) {
    raise<ValueError>("PlotReport: expected a marker of x + * o s ^ v d, got '",
                      options.marker, "'");
  }
  if (y_keys_.empty()) {
    raise<ValueError>("PlotReport: expected y_keys to plot, got none");
  }
  static_cast<void>(plot_format("PlotReport", options.file_name));
}

PlotReport::PlotReport(PlotReport&&) noexcept = default;
PlotReport::~PlotReport() = default;

bool PlotReport::available() { return has_gnuplot(); }

void PlotReport::initialize(Trainer& trainer) {
  missing_keys_.begin(trainer.updater().epoch());
  plot_->begin(trainer.out_path(options_.file_name));
}

void PlotReport::on_error(Trainer& /*trainer*/, std::exception_ptr /*error*/) {
  missing_keys_.cancel();
}

void PlotReport::operator()(Trainer& trainer) {
  missing_keys_.add(trainer.observation());
  std::optional<Observation> gathered =
      summary_.add(trainer.observation(), trainer);
  if (!gathered) return;
  Observation& means = *gathered;
  means.set("epoch", trainer.updater().epoch());
  means.set("iteration", trainer.updater().iteration());
  if (options_.postprocess) options_.postprocess(means);
  missing_keys_.add(means);
  missing_keys_.check(trainer.updater().epoch());
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
  missing_keys_.end();
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
    serializer.on_commit([this, curves = curves_from_json(*text)]() mutable {
      curves_ = std::move(curves);
      plot_->mark_changed();
    });
  } catch (const IoError& error) {
    serializer.fail(key, "curves in JSON", error.what());
  }
}

}  // namespace catena::training::extensions
