#pragma once

#include <utility>

#include "catena/autograd/config.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

// Lets observed variables keep their graph in the first iteration of a
// training, for extensions that look at it. Several may do so at once, in any
// order.
class GraphKeeper {
 public:
  GraphKeeper() = default;
  GraphKeeper(GraphKeeper&& other) noexcept
      : keeps_(std::exchange(other.keeps_, false)) {}
  ~GraphKeeper() { release(); }

  // In initialize(). A training that is resumed has its graph already.
  void begin(const Trainer& trainer) {
    if (keeps_ || trainer.updater().iteration() > 0) return;
    keeps_ = true;
    if (state().keepers++ == 0) {
      state().former = std::exchange(config().keep_graph_on_report, true);
    }
  }

  // As soon as the graph was seen.
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
