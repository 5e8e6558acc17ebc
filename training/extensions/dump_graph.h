#pragma once

#include <string>

#include "catena/autograd/computational_graph.h"
#include "catena/training/extension.h"
#include "catena/training/extensions/graph_keeper.h"

namespace catena::training::extensions {

struct DumpGraphOptions {
  // In the trainer's folder.
  std::string filename = "cg.dot";
  ComputationalGraphOptions graph = {};
};

// Writes the graph behind an observed variable, such as "main/loss", after the
// first iteration, in Graphviz's language: dot -Tpng cg.dot shows it.
class DumpGraph final : public Extension {
 public:
  // ValueError without a name for root or file.
  explicit DumpGraph(std::string root_name,
                     const DumpGraphOptions& options = {});

  // ValueError when no variable of that name is observed.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "DumpGraph"; }
  // After the first iteration.
  AnyTrigger trigger() const override;
  void initialize(Trainer& trainer) override;
  void finalize() override { graph_keeper_.release(); }

 private:
  std::string root_name_;
  DumpGraphOptions options_;
  GraphKeeper graph_keeper_;
};

}  // namespace catena::training::extensions
