#pragma once

#include <utility>

#include "catena/autograd/config.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

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
