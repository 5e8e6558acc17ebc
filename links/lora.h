#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catena/links/link.h"
#include "catena/links/low_rank_layer.h"

// Fine-tuning by updates of low rank: a model learns by small matrices beside
// its weights, which stay as they are.
//
//   links::add_lora(model, {.rank = 8});   // before the optimizer's setup
//   ...                                    // train
//   links::LoraParameters update(model);
//   serializers::save_npz("update.npz", update);   // only the small matrices
//   links::merge_lora(model);              // generates as fast as before
//
// Hu et al.: LoRA: Low-Rank Adaptation of Large Language Models, 2021.
namespace catena::links {

struct LoraOptions {
  NamedFieldsOnly keywords = {};
  int64_t rank = 8;
  // As in LowRankOptions.
  double alpha = 16;
  double dropout = 0;
  Initializer initialA = initializers::LeCunNormal();
  // Which layers get an update: those whose path ends with one of these, such
  // as "qkv" or "attention/out".
  std::vector<std::string> names = {"qkv", "out"};
};

// Gives layers of a model, those of MultiHeadAttention by default, an update of
// low rank (LowRankLayer, as Linear links are), and freezes all other
// parameters. Returns the paths of these layers. Outputs stay the same until
// the updates learn. Throws ValueError, before anything changes, when a name is
// that of no such layer, a layer has an update already or a W that is not
// initialized, and for options out of range.
std::vector<std::string> add_lora(Link& model, const LoraOptions& options = {});

// Add all updates to the weights, or take them out again; see
// LowRankLayer::merge_low_rank. A layer whose update is merged, or not, already
// stays so. Throw ValueError when there are no updates.
void merge_lora(Link& model);
void unmerge_lora(Link& model);

// Removes the updates: merged ones stay part of the weights, others are lost.
// Other parameters stay frozen until model.unfreeze(). Throws ValueError when
// there are none.
void remove_lora(Link& model);

// The updates of a model, for serializers: the keys are those of the model, as
// "blocks/0/attention/qkv/lora_A". Loading needs add_lora() before, with the
// same rank and names; it sets alpha.
class LoraParameters {
 public:
  // Throws ValueError when the model has no updates. The model must outlive
  // this.
  explicit LoraParameters(Link& model);

  void serialize(const Serializer& serializer);

 private:
  Link& model_;
};

}  // namespace catena::links
