#pragma once

#include <string>

#include "catena/training/extension.h"

namespace catena::training::extensions {

// Releases the graphs of observed variables, kept by
// config().keep_graph_on_report, after all other extensions have run. Otherwise
// they stay in memory, with the gradients of their parameters.
class UnchainVariables final : public Extension {
 public:
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "unchain_variables"; }
  int priority() const override { return 0; }
};

// trainer.extend(unchain_variables()).
inline UnchainVariables unchain_variables() { return {}; }

}  // namespace catena::training::extensions
