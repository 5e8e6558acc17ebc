#include "catena/dataset/iterators/sweeps.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/serializers/random_state.h"

namespace catena::iterators {
namespace {

using array::random::Generator;
using array::random::GeneratorState;

uint64_t draw_seed() {
  Generator& generator = array::random::generator(native_device());
  return static_cast<uint64_t>(
      generator.randint(0, INT64_MAX, {}).item<int64_t>());
}

}  // namespace

double SweepState::epoch_detail() const {
  const double sweeps = static_cast<double>(epoch);
  if (order.size() == 0) return sweeps;
  return sweeps +
         static_cast<double>(position) / static_cast<double>(order.size());
}

std::optional<double> SweepState::previous_detail() const {
  if (previous_epoch_detail < 0) return std::nullopt;
  return previous_epoch_detail;
}

Sweeps::Sweeps(std::string_view iterator, int64_t dataset_size,
               int64_t batch_size, const SweepOptions& options)
    : iterator_(iterator),
      dataset_size_(dataset_size),
      batch_size_(batch_size),
      repeat_(options.repeat),
      shuffles_(options.shuffle.value_or(!options.order_sampler)),
      is_random_(shuffles_ || options.order_sampler.is_random()),
      order_sampler_(options.order_sampler) {
  if (batch_size < 1) {
    raise<ValueError>(iterator, ": expected batch_size >= 1, got ", batch_size);
  }
  if (dataset_size < 0) {
    raise<ValueError>(iterator, ": expected a dataset_size of at least 0, got ",
                      dataset_size);
  }
  if (repeat_ && dataset_size == 0) {
    raise<ValueError>(iterator,
                      ": expected examples to repeat, got an empty dataset");
  }
  if (order_sampler_ && options.shuffle) {
    raise<ValueError>(iterator,
                      ": expected shuffle or order_sampler, got both");
  }
  if (is_random_) {
    state_.random.seed = options.seed ? *options.seed : draw_seed();
  }
  state_.order = array::arange(dataset_size, Dtype::kInt64, native_device());
  reset();
}

// The order after state.order; advances state.random.
Array Sweeps::sample_order(SweepState& state, int64_t current_position) const {
  if (!shuffles_ && !order_sampler_) return state.order;
  Generator generator(state.random.seed, native_device());
  generator.set_state(state.random);
  Array order;
  if (shuffles_) {
    order = generator.permutation(dataset_size_);
  } else {
    order = order_sampler_(state.order, current_position, generator);
    const bool is_first = state.previous_epoch_detail < 0;
    check_order(
        order, is_first && order.defined() ? order.size() : state.order.size());
    order = order.to_device(native_device()).contiguous();
  }
  if (is_random_) state.random = generator.state();
  return order;
}

void Sweeps::check_order(const Array& order, int64_t length) const {
  if (!order.defined()) {
    raise<ValueError>(iterator_, ": expected an order_sampler that gives ",
                      length, " int64, got an undefined array");
  }
  if (order.dtype() != Dtype::kInt64 || order.ndim() != 1 ||
      order.size() != length) {
    raise<ValueError>(iterator_, ": expected an order_sampler that gives ",
                      length, " int64, got ", order.dtype(), " of shape ",
                      order.shape());
  }
  if (repeat_ && length == 0) {
    raise<ValueError>(iterator_,
                      ": expected an order of examples to repeat, got an empty "
                      "one");
  }
  const Array contiguous = order.to_device(native_device()).contiguous();
  const int64_t* indices = contiguous.data<int64_t>();
  const auto is_bad = [&](int64_t i) { return i < 0 || i >= dataset_size_; };
  const auto bad = std::find_if(indices, indices + length, is_bad);
  if (bad != indices + length) {
    raise<IndexError>(iterator_, ": expected an order of indices of ",
                      dataset_size_, " examples, got ", *bad);
  }
}

void Sweeps::reset() {
  SweepState start = {.order = state_.order, .random = state_.random};
  start.order = sample_order(start, 0);
  state_ = std::move(start);
}

std::optional<Array> Sweeps::next() {
  SweepState after = state_;
  if (!repeat_ && (after.epoch > 0 || after.order.size() == 0)) {
    return std::nullopt;
  }
  after.previous_epoch_detail = after.epoch_detail();
  after.is_new_epoch = false;
  int64_t missing = batch_size_;
  // Several sweeps in one minibatch are copied to an array that is there before
  // they are made: more than fit in memory fail at once.
  Array all;
  if (repeat_ && missing > after.order.size() - after.position) {
    all = array::empty({missing}, Dtype::kInt64, native_device());
  }
  Array indices;
  while (missing > 0) {
    const int64_t left = after.order.size() - after.position;
    const int64_t end = after.position + std::min(left, missing);
    const int64_t begin = std::exchange(after.position, end);
    indices = after.order[{Slice(begin, end)}];
    if (all.defined()) {
      const int64_t done = batch_size_ - missing;
      all[{Slice(done, done + end - begin)}].assign(indices);
    }
    missing -= end - begin;
    if (after.position < after.order.size()) break;
    ++after.epoch;
    after.is_new_epoch = true;
    if (repeat_) after.order = sample_order(after, begin);
    after.position = 0;
    if (!repeat_) break;
  }
  state_ = std::move(after);
  return all.defined() ? all : indices;
}

Array Sweeps::read_order(const Serializer& serializer,
                         const Array& current) const {
  const SerializedValue* entry = serializer.read("order");
  if (entry == nullptr) return current;
  const Array* order = std::get_if<Array>(entry);
  if (order == nullptr || order->dtype() != Dtype::kInt64) {
    serializer.fail("order", "an int64 array", describe(*entry));
  }
  try {
    check_order(*order, current.size());
  } catch (const Error&) {
    serializer.fail(
        "order",
        str(current.size(), " indices of ", dataset_size_, " examples"),
        str("shape ", order->shape(), " or other indices"));
  }
  return order->copy();
}

void Sweeps::serialize(const Serializer& serializer, SweepState& state) const {
  const bool has_order = shuffles_ || order_sampler_;
  if (serializer.is_writer()) {
    serializer("current_position", state.position);
    serializer("epoch", state.epoch);
    serializer("is_new_epoch", state.is_new_epoch);
    if (has_order) serializer("order", state.order);
    serializer("previous_epoch_detail", state.previous_epoch_detail);
    if (is_random_) {
      write_random_state(serializer, "random_state", state.random);
    }
    return;
  }
  const int64_t sweep = state.order.size();
  const int64_t position =
      serializer.number<int64_t>("current_position").value_or(state.position);
  if (position < 0 || position >= std::max<int64_t>(sweep, 1)) {
    serializer.fail("current_position",
                    str("a position in ", sweep, " examples"), str(position));
  }
  const int64_t epoch =
      serializer.number<int64_t>("epoch").value_or(state.epoch);
  if (epoch < 0) serializer.fail("epoch", "a number >= 0", str(epoch));
  const Array order =
      has_order ? read_order(serializer, state.order) : state.order;
  GeneratorState random = state.random;
  if (is_random_) {
    random = read_random_state(serializer, "random_state").value_or(random);
  }
  serializer("is_new_epoch", state.is_new_epoch);
  serializer("previous_epoch_detail", state.previous_epoch_detail);
  serializer.on_commit([&state, position, epoch, order, random] {
    state.position = position;
    state.epoch = epoch;
    state.order = order;
    state.random = random;
  });
}

}  // namespace catena::iterators
