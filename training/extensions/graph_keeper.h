#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catena/autograd/config.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

// The parameters of a trainer's models by path, for drawings of graphs. With
// several optimizers each path begins with the optimizer's name.
inline std::vector<std::pair<std::string, Variable>> parameter_names(
    const Trainer& trainer) {
  std::vector<std::pair<std::string, Variable>> names;
  const OptimizerMap& optimizers = trainer.updater().get_all_optimizers();
  for (const auto& [name, optimizer] : optimizers) {
    for (const auto& [path, param] : optimizer->parameters()) {
      names.emplace_back(optimizers.size() > 1 ? name + path : path, param);
    }
  }
  return names;
}

// Makes observed variables keep their graph in the first iteration of training,
// for extensions that read it. Several keepers may be active at once, in any
// order.
class GraphKeeper {
 public:
  GraphKeeper() = default;
  GraphKeeper(GraphKeeper&& other) noexcept
      : keeps_(std::exchange(other.keeps_, false)) {}
  ~GraphKeeper() { release(); }

  // Call in initialize(). A resumed run already has its graph.
  void begin(const Trainer& trainer) {
    if (keeps_ || trainer.updater().iteration() > 0) return;
    keeps_ = true;
    if (state().keepers++ == 0) {
      state().former = std::exchange(config().keep_graph_on_report, true);
    }
  }

  // Call as soon as the graph has been read.
  void release() {
    if (!keeps_) return;
    keeps_ = false;
    if (--state().keepers == 0) {
      config().keep_graph_on_report = state().former;
    }
  }

 private:
  struct State {
    int keepers = 0;
    bool former = false;
  };
  static State& state() {
    static thread_local State state;
    return state;
  }

  bool keeps_ = false;
};

}  // namespace catena::training::extensions
