#pragma once

#include <string>

#include "catena/autograd/computational_graph.h"
#include "catena/training/extension.h"
#include "catena/training/extensions/graph_keeper.h"

namespace catena::training::extensions {

struct DumpGraphOptions {
  NamedFieldsOnly keywords = {};
  // File in the trainer's folder.
  std::string filename = "cg.dot";
  ComputationalGraphOptions graph = {};
};

// Writes the computational graph of an observed variable, such as "main/loss",
// after the first iteration, in Graphviz's language: render it with dot -Tpng
// cg.dot.
class DumpGraph final : public Extension {
 public:
  // Throws ValueError when root_name or filename is empty.
  explicit DumpGraph(std::string root_name,
                     const DumpGraphOptions& options = {});

  // Throws ValueError when no variable with that name is observed.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "DumpGraph"; }
  std::string file() const override { return options_.filename; }
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
