#include "catena/training/trigger.h"

#include "catena/array/core/error.h"

namespace catena::training {
namespace {

class FunctionTrigger final : public Trigger {
 public:
  explicit FunctionTrigger(std::function<bool(Trainer&)> function)
      : function_(std::move(function)) {}
  bool operator()(Trainer& trainer) override { return function_(trainer); }

 private:
  std::function<bool(Trainer&)> function_;
};

}  // namespace

AnyTrigger AnyTrigger::call(std::function<bool(Trainer&)> function) {
  if (!function) {
    raise<ValueError>(
        "get_trigger: expected a function of the trainer, got an empty one; {} "
        "is a trigger that never fires");
  }
  return FunctionTrigger(std::move(function));
}

}  // namespace catena::training
