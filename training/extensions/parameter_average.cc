#include "catena/training/extensions/parameter_average.h"

#include <algorithm>
#include <memory>

#include "catena/array/core/error.h"
#include "catena/array/core/name_list.h"
#include "catena/autograd/data_layout.h"
#include "catena/optimizers/copy_ops.h"
#include "catena/optimizers/update_batch.h"

namespace catena::training::extensions {
namespace {

bool is_averaged(const Parameter& param) {
  return param.is_initialized() && !param.is_frozen() &&
         is_floating(param.dtype());
}

// Values as the average of a parameter.
Array as_average(const Array& values, const Parameter& param) {
  const Dtype dtype =
      item_size(param.dtype()) == 2 ? Dtype::kFloat32 : param.dtype();
  Array average = empty_in_layout_of(param.data(), dtype, param.device());
  average.assign(values.to_device(param.device()));
  return average;
}

}  // namespace

ParameterAverage::ParameterAverage(Link& target,
                                   const ParameterAverageOptions& options)
    : target_(&target), options_(options) {
  if (!(options.decay >= 0 && options.decay < 1)) {
    raise<ValueError>("ParameterAverage: expected decay in [0, 1), got ",
                      options.decay);
  }
}

void ParameterAverage::operator()(Trainer& /*trainer*/) { (*this)(); }

void ParameterAverage::operator()() {
  ++calls_;
  double decay = options_.decay;
  if (options_.warm_up) {
    const auto n = static_cast<double>(calls_);
    decay = std::min(decay, (1 + n) / (10 + n));
  }
  const optimizers::AverageOp op{1 - decay};
  optimizers::UpdateBatch batch;
  for (const auto& [path, param] : target_->namedparams()) {
    if (!is_averaged(param)) continue;
    Array& average = averages_[path];
    if (!average.defined() || average.shape() != param.shape()) {
      average = as_average(param.data(), param);
      continue;
    }
    const bool is_wide = item_size(param.dtype()) == 2;
    const Dtype dtype = is_wide ? Dtype::kFloat32 : param.dtype();
    if (average.device() != param.device() || average.dtype() != dtype) {
      average = as_average(average, param);
    }
    if (is_wide) {
      batch.add(optimizers::WideAverageOp{op}, {param.data()}, {average});
    } else {
      batch.add(op, {param.data()}, {average});
    }
  }
  batch.run();
}

void ParameterAverage::serialize(const Serializer& serializer) {
  serializer("calls", calls_);
  const Serializer of_averages = serializer["averages"];
  auto loaded = std::make_shared<Averages>();
  for (const auto& [path, param] : target_->namedparams()) {
    const std::string_view key = std::string_view(path).substr(1);
    if (serializer.is_writer()) {
      const auto it = averages_.find(path);
      if (it == averages_.end()) continue;
      Array average = it->second;
      of_averages(key, average);
    } else if (of_averages.contains(key)) {
      const Array* const entry = std::get_if<Array>(of_averages.read(key));
      if (entry == nullptr || !is_floating(entry->dtype())) {
        of_averages.fail(key, "a floating array", "something else");
      }
      if (param.is_initialized() && entry->shape() != param.shape()) {
        of_averages.fail(key, str("shape ", param.shape()),
                         to_string(entry->shape()));
      }
      loaded->emplace(path, entry->copy());
    }
  }
  if (!serializer.is_writer()) {
    serializer.on_commit([this, loaded] { averages_.swap(*loaded); });
  }
}

const Array& ParameterAverage::average(std::string_view path) const {
  const auto it = averages_.find(path);
  if (it != averages_.end()) return it->second;
  array::throw_unknown_name("ParameterAverage", "a parameter with an average",
                            array::names_of(averages_), path);
}

ParameterAverage::Scope::Scope(const ParameterAverage& average) {
  std::vector<std::pair<Parameter, Array>> changed;
  for (const auto& [path, param] : average.target_->namedparams()) {
    const auto it = average.averages_.find(path);
    if (it == average.averages_.end() || !param.is_initialized() ||
        it->second.shape() != param.shape()) {
      continue;
    }
    changed.emplace_back(
        param, it->second.to_device(param.device())
                   .astype(param.dtype(), Array::CopyPolicy::kIfNeeded));
  }
  own_.reserve(changed.size());
  for (const auto& [param, values] : changed) {
    own_.emplace_back(param, param.data());
    param.set_data(values);
    param.bump_version();
  }
}

ParameterAverage::Scope::~Scope() {
  for (const auto& [param, data] : own_) {
    param.set_data(data);
    param.bump_version();
  }
}

void ParameterAverage::serialize_model(const Serializer& serializer) const {
  if (!serializer.is_writer()) {
    raise<ValueError>(
        "ParameterAverage: expected a model that loads the file, got the "
        "average");
  }
  const Scope averages = scope();
  target_->serialize(serializer);
}

}  // namespace catena::training::extensions
