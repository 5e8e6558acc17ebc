#include "catena/links/model_capture.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/core/work_record.h"
#include "catena/links/link_hook.h"

namespace catena::internal {
namespace {

// What a model keeps from step to step besides parameters: its persistent
// arrays, then its states.
std::vector<Array> kept_arrays(Link& model) {
  std::vector<Array> arrays;
  for (const Array* array : model.persistents()) arrays.push_back(*array);
  for (const Variable* state : model.states()) {
    arrays.push_back(state->defined() ? state->data() : Array());
  }
  return arrays;
}

void set_kept_arrays(Link& model, const std::vector<Array>& arrays) {
  size_t next = 0;
  for (Array* array : model.persistents()) *array = arrays.at(next++);
  for (Variable* state : model.states()) {
    const Array& array = arrays.at(next++);
    *state = array.defined() ? as_variable(array) : Variable();
  }
}

// Calls a step that goes on from arrays in memory that stays: where it puts a
// new array in the place of an old one, the old one gets its elements, and is
// the model's again. What has another shape then is not carried on.
void carry_on_in_place(Link& model, const std::function<void()>& step) {
  const std::vector<Array> before = kept_arrays(model);
  set_kept_arrays(model, before);
  step();
  std::vector<Array> after = kept_arrays(model);
  for (size_t i = 0; i < before.size(); ++i) {
    const Array& old = before[i];
    if (!old.defined() || !after.at(i).defined() ||
        array::begin_together(after[i], old) ||
        after[i].shape() != old.shape() || after[i].dtype() != old.dtype()) {
      continue;
    }
    old.assign(after[i]);
    after[i] = old;
  }
  set_kept_arrays(model, after);
}

class CapturedModel final : public CapturedPart {
 public:
  explicit CapturedModel(std::function<Link&()> model)
      : model_(std::move(model)) {}

  void capture(const std::function<void()>& step) override {
    carry_on_in_place(model_(), step);
    kept_ = kept_arrays(model_());
  }
  void after_launch() override { set_kept_arrays(model_(), kept_); }

 private:
  std::function<Link&()> model_;
  std::vector<Array> kept_;  // as the step leaves it
};

class ModelInCapture final : public CaptureParticipant {
 public:
  explicit ModelInCapture(std::function<Link&()> model)
      : model_(std::move(model)) {}

  // A hook that the host must call.
  std::string obstacle() const override {
    for (const auto& [path, link] : model_().namedlinks()) {
      for (const auto& hook : link->local_link_hooks()) {
        if (hook->is_capturable()) continue;
        return str("the host calls the hook '", hook->name(), "' of the link ",
                   path.empty() ? "/" : path, " in each step");
      }
    }
    return {};
  }

  void append_key(std::vector<uint64_t>& key) const override {
    key.push_back(link_hook_changes());
    const auto append = [&](const Array& array) {
      key.push_back(
          array.defined() ? reinterpret_cast<uintptr_t>(array.raw_data()) : 0);
    };
    Link& model = model_();
    for (const Array* array : model.persistents()) append(*array);
    for (const Variable* state : model.states()) {
      append(state->defined() ? state->data() : Array());
    }
  }

  void record(const std::function<void()>& step,
              WorkRecord& record) const override {
    const std::vector<PersistentScalar> before = model_().persistent_scalars();
    step();
    if (model_().persistent_scalars() != before) {
      record.forbid("it changes a persistent number or text of the model");
    }
  }

  void carry_on(const std::function<void()>& step) const override {
    carry_on_in_place(model_(), step);
  }

  std::function<void()> save(Device /*device*/) const override {
    const std::vector<Array> kept = kept_arrays(model_());
    std::vector<Array> on_host;  // copies of those that are there
    for (const Array& array : kept) {
      const bool is_on_host =
          array.defined() && array.device().shares_host_memory();
      on_host.push_back(is_on_host ? array.copy() : Array());
    }
    return [this, kept, on_host, scalars = model_().persistent_scalars()] {
      Link& model = model_();
      for (size_t i = 0; i < kept.size(); ++i) {
        if (on_host[i].defined()) kept[i].assign(on_host[i]);
      }
      if (kept_arrays(model).size() == kept.size()) {
        set_kept_arrays(model, kept);
      }
      if (model.persistent_scalars().size() == scalars.size()) {
        model.set_persistent_scalars(scalars);
      }
    };
  }

  std::unique_ptr<CapturedPart> part() const override {
    return std::make_unique<CapturedModel>(model_);
  }

 private:
  std::function<Link&()> model_;
};

}  // namespace

std::unique_ptr<CaptureParticipant> model_in_capture(
    std::function<Link&()> model) {
  return std::make_unique<ModelInCapture>(std::move(model));
}

}  // namespace catena::internal
