#include "catena/training/extensions/dump_graph.h"

#include "catena/array/core/error.h"
#include "catena/array/io/atomic_file.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

DumpGraph::DumpGraph(std::string root_name, const DumpGraphOptions& options)
    : root_name_(std::move(root_name)), options_(options) {
  if (root_name_.empty() || options_.filename.empty()) {
    raise<ValueError>("DumpGraph: expected a ",
                      root_name_.empty() ? "root_name" : "filename",
                      ", got none");
  }
}

AnyTrigger DumpGraph::trigger() const {
  return [](Trainer& trainer) { return trainer.updater().iteration() == 1; };
}

void DumpGraph::initialize(Trainer& trainer) { graph_keeper_.begin(trainer); }

void DumpGraph::operator()(Trainer& trainer) {
  const ObservedValue* value = trainer.observation().find(root_name_);
  const Variable* root = value != nullptr ? value->variable() : nullptr;
  if (root == nullptr) {
    raise<ValueError>("DumpGraph: expected an observed variable '", root_name_,
                      "' with its graph, got ",
                      value != nullptr ? "another value" : "none");
  }
  ComputationalGraphOptions options = options_.graph;
  const auto names = parameter_names(trainer);
  options.names.insert(options.names.end(), names.begin(), names.end());
  const std::string dot = build_computational_graph({*root}, options).dump();
  array::AtomicFile file(trainer.out_path(options_.filename), "DumpGraph");
  file.write(dot);
  file.commit();
  graph_keeper_.release();
}

}  // namespace catena::training::extensions
