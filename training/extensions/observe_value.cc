#include "catena/training/extensions/observe_value.h"

#include <utility>

#include "catena/array/core/error.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

FunctionExtension observe_value(
    std::string observation_key,
    std::function<ObservedValue(Trainer&)> target_func) {
  if (!target_func) {
    raise<ValueError>("observe_value: expected a target_func for '",
                      observation_key, "', got none");
  }
  return make_extension(
      [key = std::move(observation_key),
       function = std::move(target_func)](Trainer& trainer) {
        trainer.observation().set(key, function(trainer));
      },
      {.default_name = "observe_value", .priority = PRIORITY_WRITER});
}

FunctionExtension observe_lr(std::optional<std::string> optimizer_name,
                             std::string observation_key) {
  return observe_value(
      std::move(observation_key),
      [name = std::move(optimizer_name)](Trainer& trainer) -> ObservedValue {
        const Updater& updater = trainer.updater();
        return (name ? updater.get_optimizer(*name) : updater.main_optimizer())
            .lr();
      });
}

}  // namespace catena::training::extensions
