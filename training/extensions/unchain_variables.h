#pragma once

#include <string>

#include "catena/training/extension.h"

namespace catena::training::extensions {

// Cuts the graphs behind observed variables after all other extensions have
// run, where config().keep_graph_on_report kept them: a graph that nobody cuts
// stays in memory, and its parameters' gradients with it.
class UnchainVariables final : public Extension {
 public:
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "unchain_variables"; }
  int priority() const override { return 0; }
};

// trainer.extend(unchain_variables()).
inline UnchainVariables unchain_variables() { return {}; }

}  // namespace catena::training::extensions
