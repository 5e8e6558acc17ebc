#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/model_capture.h"
#include "catena/links/observation.h"
#include "catena/links/reporter.h"

namespace catena::internal {
namespace {

class CapturedReports final : public CapturedPart {
 public:
  // What the step reports goes nowhere else.
  void capture(const std::function<void()>& step) override {
    if (find_current_reporter() == nullptr) return step();
    Observation observation;
    {
      const auto scope = report_scope(observation);
      step();
    }
    keep(observation);
  }

  void before_launch() override {
    copies_.clear();
    for (const Array& array : stacked_) copies_.push_back(room_for(array));
    for (const Value& value : values_) {
      const Array array = value.value.array();
      if (!array.defined() || value.index >= 0) continue;
      copies_.push_back(room_for(array));
    }
  }
  void after_launch() override {
    if (values_.empty()) return;
    std::vector<Array> copies = std::exchange(copies_, {});
    size_t next = 0;
    for (; next < stacked_.size(); ++next) fill(copies[next], stacked_[next]);
    Observation now;
    for (const auto& [name, value, group, index] : values_) {
      Array array = value.array();
      if (index >= 0) {
        array = copies[group][index];
      } else if (array.defined()) {
        fill(copies[next], array);
        array = copies[next++];
      }
      now.set(name, array.defined() ? weighted(array, value.weight()) : value);
    }
    report(now);
  }
  bool is_spent() const override { return is_spent_; }

 private:
  static Array room_for(const Array& array) {
    return array::empty(array.shape(), array.dtype(), array.device());
  }
  // The step has been made, and is reported: if the device refuses the copy, by
  // what the launch wrote itself.
  void fill(Array& copy, const Array& written) {
    try {
      copy.assign(written);
    } catch (const Error&) {
      copy = written;
      is_spent_ = true;
    }
  }

  // In the order of the step's reports. A scalar is stacked_[group][index].
  struct Value {
    std::string name;
    ObservedValue value;  // of a scalar only the weight
    size_t group = 0;
    int64_t index = -1;  // of no scalar
  };

  void keep(const Observation& values) {
    std::vector<std::pair<Dtype, std::vector<Array>>> scalars;
    for (const auto& [name, value] : values) {
      const Array array = value.array();
      if (!array.defined()) {
        values_.push_back({name, value});
      } else if (array.ndim() > 0 || array.device().shares_host_memory()) {
        values_.push_back({name, weighted(array, value.weight())});
      } else {
        size_t group = 0;
        while (group < scalars.size() &&
               scalars[group].first != array.dtype()) {
          ++group;
        }
        if (group == scalars.size()) scalars.push_back({array.dtype(), {}});
        std::vector<Array>& same = scalars[group].second;
        values_.push_back({name, weighted(0.0, value.weight()), group,
                           static_cast<int64_t>(same.size())});
        same.push_back(array);
      }
    }
    for (const auto& [dtype, arrays] : scalars) {
      stacked_.push_back(array::stack(arrays));
    }
  }

  std::vector<Value> values_;
  std::vector<Array> stacked_;
  // For copies of the stacked arrays, then of the others.
  std::vector<Array> copies_;
  bool is_spent_ = false;
};

class ReportsInCapture final : public CaptureParticipant {
 public:
  std::unique_ptr<CapturedPart> part() const override {
    return std::make_unique<CapturedReports>();
  }
};

}  // namespace

std::unique_ptr<CaptureParticipant> reports_in_capture() {
  return std::make_unique<ReportsInCapture>();
}

}  // namespace catena::internal
