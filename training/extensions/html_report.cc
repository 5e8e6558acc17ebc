#include "catena/training/extensions/html_report.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/atomic_file.h"
#include "catena/training/html/graph_drawing.h"
#include "catena/training/html/html_text.h"
#include "catena/training/html/line_chart.h"
#include "catena/training/log_json.h"
#include "catena/training/number_text.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #ddd; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --paper: #181818; --faint: #444; }
}
body { font: 15px sans-serif; color: var(--ink); background: var(--paper);
       margin: 2em; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; }
.charts { display: grid; gap: 1em;
          grid-template-columns: repeat(auto-fit, minmax(min(100%, 26em), 1fr)); }
.charts svg { width: 100%; }
svg text { font: 12px monospace; fill: var(--ink); }
svg .title { font-weight: bold; font-size: 14px; }
.grid { stroke: var(--faint); }
.curve { fill: none; stroke-width: 1.6; stroke-linecap: round; }
.edge { fill: none; stroke: var(--ink); opacity: .5; }
.variable rect { fill: var(--faint); }
.function rect { fill: #6495ed; }
.function text { fill: #000; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2em .8em; text-align: right;
         border-bottom: 1px solid var(--faint); }
.wide { overflow-x: auto; }
pre { white-space: pre-wrap; border-left: 3px solid var(--faint);
      padding-left: 1em; max-height: 24em; overflow-y: auto; }
)";

bool is_progress(std::string_view name) {
  return name == "epoch" || name == "iteration" || name == "elapsed_time";
}

// The names in all entries: epoch and iteration, then in order of first
// appearance.
std::vector<std::string> names_of(const std::vector<Observation>& log) {
  std::vector<std::string> names;
  for (const char* first : {"epoch", "iteration"}) {
    if (std::ranges::any_of(log, [&](const Observation& entry) {
          return entry.find(first) != nullptr;
        })) {
      names.emplace_back(first);
    }
  }
  for (const Observation& entry : log) {
    for (const auto& [name, value] : entry) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

html::Curve curve_of(const std::vector<Observation>& log,
                     const std::string& name, const std::string& x_key) {
  html::Curve curve{name, {}};
  for (const Observation& entry : log) {
    const ObservedValue* x = entry.find(x_key);
    const ObservedValue* y = entry.find(name);
    if (x == nullptr || y == nullptr) continue;
    curve.points.emplace_back(x->as_double(), y->as_double());
  }
  return curve;
}

// A chart for each last part of a name.
std::string charts(const std::vector<Observation>& log,
                   const std::string& x_key) {
  std::vector<std::pair<std::string, std::vector<html::Curve>>> groups;
  for (const std::string& name : names_of(log)) {
    if (is_progress(name) || name == x_key) continue;
    const std::string last = name.substr(name.rfind('/') + 1);
    auto it = std::ranges::find(
        groups, last, &std::pair<std::string, std::vector<html::Curve>>::first);
    if (it == groups.end()) it = groups.insert(it, {last, {}});
    it->second.push_back(curve_of(log, name, x_key));
  }
  std::string text;
  for (const auto& [title, curves] : groups) {
    text += html::line_chart(title, x_key, curves);
  }
  return text;
}

std::string table(const std::vector<Observation>& log, int64_t max_rows) {
  const std::vector<std::string> names = names_of(log);
  const size_t rows = std::min(log.size(), static_cast<size_t>(max_rows));
  std::string text;
  if (rows < log.size()) {
    text += str("<p>The last ", rows, " of ", log.size(), " entries.</p>\n");
  }
  text += "<div class=\"wide\"><table>\n<tr>";
  for (const std::string& name : names) {
    text += "<th>" + html::escaped(name) + "</th>";
  }
  text += "</tr>\n";
  for (size_t i = log.size() - rows; i < log.size(); ++i) {
    text += "<tr>";
    for (const std::string& name : names) {
      const ObservedValue* value = log[i].find(name);
      text += "<td>" + (value ? number_text(value->as_double()) : "") + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

// The last text first.
std::string texts(const std::vector<TextSample>& samples) {
  std::string text;
  for (size_t i = samples.size(); i-- > 0;) {
    text += str("<h3>Iteration ", samples[i].iteration, "</h3>\n<pre>",
                html::escaped(samples[i].text), "</pre>\n");
  }
  return text;
}

// The trainer's TextSamples of that name; null if there is none.
const TextSamples* find_text_samples(const Trainer& trainer,
                                     std::string_view name) {
  try {
    return &trainer.get_extension<TextSamples>(name);
  } catch (const ValueError&) {
    return nullptr;
  }
}

}  // namespace

HtmlReport::HtmlReport(const HtmlReportOptions& options) : options_(options) {
  if (options_.file_name.empty() || options_.x_key.empty()) {
    raise<ValueError>("HtmlReport: expected a ",
                      options_.file_name.empty() ? "file_name" : "x_key",
                      ", got none");
  }
  if (options_.max_rows < 1) {
    raise<ValueError>("HtmlReport: expected max_rows >= 1, got ",
                      options_.max_rows);
  }
}

void HtmlReport::initialize(Trainer& trainer) {
  check_runs_after(find_log_report(trainer, options_.log_report, "HtmlReport"),
                   *this, trainer);
  text_samples_ = find_text_samples(trainer, options_.text_samples);
  path_ = trainer.out_path(options_.file_name);
  if (!options_.graph_of.empty()) graph_keeper_.begin(trainer);
}

void HtmlReport::operator()(Trainer& trainer) {
  take_graph(trainer);
  const LogReport& report =
      find_log_report(trainer, options_.log_report, "HtmlReport");
  const std::vector<Observation>& log = report.log();
  is_current_ =
      is_current_ && log.size() == log_.size() && last_text() == shown_text_;
  if (is_current_) return;
  log_.insert(log_.end(), log.begin() + static_cast<ptrdiff_t>(log_.size()),
              log.end());
  const auto now = std::chrono::steady_clock::now();
  if (!written_at_ || now - *written_at_ >= options_.shortest_pause) write();
}

void HtmlReport::take_graph(const Trainer& trainer) {
  if (trainer.updater().iteration() != 1 || options_.graph_of.empty()) return;
  const ObservedValue* value = trainer.observation().find(options_.graph_of);
  const Variable* root = value != nullptr ? value->variable() : nullptr;
  if (root != nullptr) {
    graph_ =
        build_computational_graph({*root}, {.names = parameter_names(trainer)});
  }
  graph_keeper_.release();
}

int64_t HtmlReport::last_text() const {
  return text_samples_ == nullptr || text_samples_->samples().empty()
             ? 0
             : text_samples_->samples().back().iteration;
}

void HtmlReport::write() {
  array::AtomicFile file(path_, "HtmlReport");
  file.write(page());
  file.commit();
  written_at_ = std::chrono::steady_clock::now();
  shown_text_ = last_text();
  is_current_ = true;
}

std::string HtmlReport::page() const {
  std::string text =
      str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
          "<meta charset=\"utf-8\"/>\n<title>",
          html::escaped(options_.title), "</title>\n<style>", kStyle,
          "</style>\n</head>\n<body>\n<h1>", html::escaped(options_.title),
          "</h1>\n");
  if (!log_.empty()) {
    text += "<p>";
    for (const std::string& name : names_of({log_.back()})) {
      if (!is_progress(name)) continue;
      text += str(name, ": ", number_text(log_.back().find(name)->as_double()),
                  name == "elapsed_time" ? " s" : "", "; ");
    }
    text += str(log_.size(), " entries.</p>\n");
  }
  text += "<h2>Curves</h2>\n<div class=\"charts\">\n" +
          charts(log_, options_.x_key) + "</div>\n";
  text += "<h2>Log</h2>\n" + table(log_, options_.max_rows);
  if (last_text() != 0) {
    text += "<h2>Texts</h2>\n" + texts(text_samples_->samples());
  }
  if (graph_) {
    text += "<h2>Graph of " + html::escaped(options_.graph_of) +
            "</h2>\n<div class=\"wide\">" + html::graph_drawing(*graph_) +
            "</div>\n";
  }
  return text + "</body>\n</html>\n";
}

void HtmlReport::finalize() {
  graph_keeper_.release();
  if (!is_current_ || last_text() != shown_text_) write();
}

// Labels, prefixed with f or v for functions and variables, and edges as pairs
// of positions.
void HtmlReport::write_graph(const Serializer& serializer) const {
  if (!graph_) {
    serializer.write("_graph_labels", {});
    return serializer.write("_graph_edges", {});
  }
  std::vector<std::string> labels;
  for (const auto& node : graph_->nodes()) {
    labels.push_back((node.is_function ? "f" : "v") + node.label);
  }
  const Array edges =
      array::empty({static_cast<int64_t>(graph_->edges().size()), 2},
                   Dtype::kInt64, native_device());
  int64_t* out = edges.data<int64_t>();
  for (const auto& [from, to] : graph_->edges()) {
    *out++ = from;
    *out++ = to;
  }
  serializer.write("_graph_labels", names_to_json(labels));
  serializer.write("_graph_edges", edges);
}

void HtmlReport::serialize(const Serializer& serializer) {
  if (serializer.is_writer()) return write_graph(serializer);
  const SerializedValue* labels = serializer.read("_graph_labels");
  const SerializedValue* edges = serializer.read("_graph_edges");
  if (labels == nullptr || edges == nullptr ||
      std::holds_alternative<std::monostate>(*labels)) {
    return;
  }
  const auto* text = std::get_if<std::string>(labels);
  if (text == nullptr) {
    serializer.fail("_graph_labels", "text", describe(*labels));
  }
  const auto* pairs = std::get_if<Array>(edges);
  if (pairs == nullptr || pairs->ndim() != 2 || pairs->shape()[1] != 2 ||
      pairs->dtype() != Dtype::kInt64) {
    serializer.fail("_graph_edges", "int64 of shape (N, 2)", describe(*edges));
  }
  std::vector<ComputationalGraph::Node> nodes;
  try {
    for (const std::string& label : names_from_json(*text)) {
      nodes.push_back({label.starts_with('f'),
                       label.substr(std::min<size_t>(1, label.size())), 0});
    }
  } catch (const IoError& error) {
    serializer.fail("_graph_labels", "a list of labels in JSON", error.what());
  }
  const Array numbers = pairs->contiguous();
  const auto count = static_cast<int64_t>(nodes.size());
  std::vector<ComputationalGraph::Edge> positions;
  for (int64_t i = 0; i < numbers.shape()[0]; ++i) {
    const int64_t* edge = numbers.data<int64_t>() + 2 * i;
    // An edge's source comes first.
    if (edge[0] < 0 || edge[0] >= edge[1] || edge[1] >= count) {
      serializer.fail("_graph_edges",
                      str("ascending positions of ", count, " nodes"),
                      str(edge[0], " and ", edge[1]));
    }
    positions.emplace_back(static_cast<int>(edge[0]),
                           static_cast<int>(edge[1]));
  }
  serializer.on_commit(
      [this, graph = ComputationalGraph(nodes, positions)]() mutable {
        graph_ = std::move(graph);
      });
}

}  // namespace catena::training::extensions
