#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "catena/autograd/computational_graph.h"
#include "catena/training/extension.h"
#include "catena/training/extensions/graph_keeper.h"
#include "catena/training/extensions/log_report.h"

namespace catena::training::extensions {

struct HtmlReportOptions {
  // The LogReport whose entries are shown: its name in the trainer.
  std::string log_report = "LogReport";
  // In the trainer's folder.
  std::string file_name = "report.html";
  std::string title = "Training report";
  // What the horizontal axis of curves shows: an entry of the log.
  std::string x_key = "iteration";
  // The observed variable whose graph, in the first iteration, is drawn; empty
  // for none. Left out where it is no variable.
  std::string graph_of = "main/loss";
  // The table has at most so many rows: the last ones.
  int64_t max_rows = 500;
  // The file is written at most this often, and at the end.
  std::chrono::milliseconds shortest_pause = std::chrono::seconds(2);
};

// Writes the log of a training as one HTML file that needs nothing else, no
// network and no scripts: curves of values that have the end of their name in
// common, such as main/loss and validation/main/loss, the table, and the
// computational graph. Extend the trainer with the LogReport first, so that it
// runs first.
class HtmlReport final : public Extension {
 public:
  // ValueError without a file name or x_key, or max_rows < 1.
  explicit HtmlReport(const HtmlReportOptions& options = {});

  // ValueError when there is no such LogReport. IoError.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "HtmlReport"; }
  void initialize(Trainer& trainer) override;
  void finalize() override;
  // The graph, which a training that is resumed has not.
  void serialize(const Serializer& serializer) override;

 private:
  void take_graph(const Trainer& trainer);
  void write_graph(const Serializer& serializer) const;
  void write();
  std::string page() const;

  HtmlReportOptions options_;
  GraphKeeper graph_keeper_;
  std::optional<ComputationalGraph> graph_;
  std::vector<Observation> log_;
  std::string path_;
  bool is_current_ = true;  // whether the file has all entries
  std::optional<std::chrono::steady_clock::time_point> written_at_;
};

}  // namespace catena::training::extensions
