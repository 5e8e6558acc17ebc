#pragma once

#include <string>

#include "catena/training/extension.h"

namespace catena::training::extensions {

// Observes the quotient of two sums over the iterations since `trigger` last
// fired: an average over examples instead of minibatches.
//   trainer.extend(MicroAverage("main/correct", "main/count", "accuracy"));
class MicroAverage final : public Extension {
 public:
  MicroAverage(std::string numerator_key, std::string denominator_key,
               std::string result_key, AnyTrigger trigger = {1, "epoch"});

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "MicroAverage"; }
  int priority() const override { return PRIORITY_EDITOR; }
  void serialize(const Serializer& serializer) override;

 private:
  std::string numerator_key_;
  std::string denominator_key_;
  std::string result_key_;
  AnyTrigger trigger_;
  double numerator_ = 0;
  double denominator_ = 0;
};

}  // namespace catena::training::extensions
