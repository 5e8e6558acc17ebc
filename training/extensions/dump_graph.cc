#include "catena/training/extensions/dump_graph.h"

#include "catena/array/error.h"
#include "catena/array/io/atomic_file.h"
#include "catena/autograd/config.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

DumpGraph::DumpGraph(std::string root_name, const DumpGraphOptions& options)
    : root_name_(std::move(root_name)), options_(options) {}

AnyTrigger DumpGraph::trigger() const {
  return [](Trainer& trainer) { return trainer.updater().iteration() == 1; };
}

void DumpGraph::initialize(Trainer& trainer) {
  // A training that is resumed has its graph already.
  if (trainer.updater().iteration() > 0) return;
  keeps_graph_ = true;
  previous_ = std::exchange(config().keep_graph_on_report, true);
}

void DumpGraph::operator()(Trainer& trainer) {
  const ObservedValue* value = trainer.observation().find(root_name_);
  const Variable* root = value != nullptr ? value->variable() : nullptr;
  if (root == nullptr) {
    raise<ValueError>("DumpGraph: expected an observed variable '", root_name_,
                      "' with its graph, got ",
                      value != nullptr ? "another value" : "none");
  }
  const std::string dot =
      build_computational_graph({*root}, options_.graph).dump();
  array::AtomicFile file(trainer.out_path(options_.filename), "DumpGraph");
  file.write(dot);
  file.commit();
  release();
}

void DumpGraph::release() {
  if (keeps_graph_) config().keep_graph_on_report = previous_;
  keeps_graph_ = false;
}

}  // namespace catena::training::extensions
