#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "catena/autograd/computational_graph.h"
#include "catena/training/extension.h"
#include "catena/training/extensions/graph_keeper.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/text_samples.h"

namespace catena::training::extensions {

struct HtmlReportOptions {
  NamedFieldsOnly keywords = {};
  // The name in the trainer of the LogReport whose entries are shown.
  std::string log_report = "LogReport";
  // File in the trainer's folder.
  std::string file_name = "report.html";
  std::string title = "Training report";
  // The log entry on the horizontal axis of curves.
  std::string x_key = "iteration";
  // The observed variable whose graph in the first iteration is drawn; empty
  // for none. Ignored if the value is not a variable.
  std::string graph_of = "main/loss";
  // The name in the trainer of the TextSamples whose texts are shown, the last
  // one first. Ignored if there is none.
  std::string text_samples = "TextSamples";
  // The table shows at most this many rows, the last ones.
  int64_t max_rows = 500;
  // The minimum time between writes; the file is also written at the end.
  std::chrono::milliseconds shortest_pause = std::chrono::seconds(2);
};

// Writes the training log as one self-contained HTML file, without scripts or
// network access: a chart for values that share the last part of their name,
// such as main/loss and validation/main/loss, the table, texts that a model
// wrote, and the computational graph. Add the LogReport to the trainer first,
// so that it runs first.
class HtmlReport final : public Extension {
 public:
  // Throws ValueError when file_name or x_key is empty or max_rows < 1.
  explicit HtmlReport(const HtmlReportOptions& options = {});

  // Throws ValueError when there is no such LogReport; IoError when writing
  // fails.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "HtmlReport"; }
  std::string file() const override { return options_.file_name; }
  void initialize(Trainer& trainer) override;
  void finalize() override;
  // The graph, which a resumed run does not record again.
  void serialize(const Serializer& serializer) override;

 private:
  void take_graph(const Trainer& trainer);
  void write_graph(const Serializer& serializer) const;
  // The iteration of the last text, 0 for none.
  int64_t last_text() const;
  void write();
  std::string page() const;

  HtmlReportOptions options_;
  GraphKeeper graph_keeper_;
  std::optional<ComputationalGraph> graph_;
  std::vector<Observation> log_;
  const TextSamples* text_samples_ = nullptr;  // the trainer's, as it runs
  int64_t shown_text_ = 0;  // last_text() when the file was written
  std::string path_;
  bool is_current_ = true;  // whether the file has all entries
  std::optional<std::chrono::steady_clock::time_point> written_at_;
};

}  // namespace catena::training::extensions
