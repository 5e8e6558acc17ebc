#include "catena/dataset/iterators/serial_iterator.h"

#include <algorithm>
#include <utility>

#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/error.h"
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

Array permutation(int64_t n, GeneratorState& state) {
  Generator generator(state.seed, native_device());
  generator.set_state(state);
  Array order = generator.permutation(n);
  state = generator.state();
  return order;
}

void check_order(const Array& order, int64_t length, int64_t dataset_size) {
  if (order.dtype() != Dtype::kInt64 || order.ndim() != 1 ||
      order.size() != length) {
    raise<ValueError>("SerialIterator: expected an order_sampler that gives ",
                      length, " int64, got ", order.dtype(), " of shape ",
                      order.shape());
  }
  const Array contiguous = order.contiguous();
  const int64_t* indices = contiguous.data<int64_t>();
  const auto is_bad = [&](int64_t i) { return i < 0 || i >= dataset_size; };
  const auto bad = std::find_if(indices, indices + length, is_bad);
  if (bad != indices + length) {
    raise<IndexError>("SerialIterator: expected an order of indices of ",
                      dataset_size, " examples, got ", *bad);
  }
}

}  // namespace

SerialIterator::SerialIterator(dataset::Dataset dataset, int64_t batch_size,
                               const SerialIteratorOptions& options)
    : dataset_(std::move(dataset)),
      batch_size_(batch_size),
      repeat_(options.repeat),
      shuffles_(options.shuffle.value_or(options.order_sampler == nullptr)),
      order_sampler_(options.order_sampler) {
  if (batch_size < 1) {
    raise<ValueError>("SerialIterator: expected batch_size >= 1, got ",
                      batch_size);
  }
  if (repeat_ && dataset_.size() == 0) {
    raise<ValueError>(
        "SerialIterator: expected examples to repeat, got an empty dataset");
  }
  if (order_sampler_ && options.shuffle) {
    raise<ValueError>(
        "SerialIterator: expected shuffle or order_sampler, got both");
  }
  if (shuffles_) random_.seed = options.seed ? *options.seed : draw_seed();
  order_ = array::arange(dataset_.size(), Dtype::kInt64, native_device());
  sweep_ = order_.size();
  reset();
}

void SerialIterator::sample_order(int64_t current_position) {
  if (shuffles_) {
    order_ = permutation(dataset_.size(), random_);
  } else if (order_sampler_) {
    const Array order = order_sampler_(order_, current_position);
    if (previous_epoch_detail_ < 0 && order.defined()) sweep_ = order.size();
    check_order(order, sweep_, dataset_.size());
    order_ = order.contiguous();
  }
}

void SerialIterator::reset() {
  position_ = 0;
  epoch_ = 0;
  is_new_epoch_ = false;
  previous_epoch_detail_ = -1;
  sample_order(0);
}

std::optional<dataset::Batch> SerialIterator::next() {
  if (!repeat_ && (epoch_ > 0 || sweep_ == 0)) return std::nullopt;
  previous_epoch_detail_ = epoch_detail();
  is_new_epoch_ = false;
  int64_t missing = batch_size_;
  std::vector<Array> parts;
  while (missing > 0) {
    const int64_t end = std::min(sweep_, position_ + missing);
    const int64_t begin = std::exchange(position_, end);
    parts.push_back(order_[{Slice(begin, end)}]);
    missing -= end - begin;
    if (position_ < sweep_) break;
    ++epoch_;
    is_new_epoch_ = true;
    if (repeat_) sample_order(begin);
    position_ = 0;
    if (!repeat_) break;
  }
  return dataset::Batch(
      dataset_, parts.size() == 1 ? parts[0] : array::concatenate(parts));
}

double SerialIterator::epoch_detail() const {
  if (sweep_ == 0) return static_cast<double>(epoch_);
  return static_cast<double>(epoch_) +
         static_cast<double>(position_) / static_cast<double>(sweep_);
}

std::optional<double> SerialIterator::previous_epoch_detail() const {
  if (previous_epoch_detail_ < 0) return std::nullopt;
  return previous_epoch_detail_;
}

Array SerialIterator::read_order(const Serializer& serializer) const {
  const SerializedValue* entry = serializer.read("order");
  if (entry == nullptr) return order_;
  const Array* order = std::get_if<Array>(entry);
  if (order == nullptr || order->dtype() != Dtype::kInt64) {
    serializer.fail("order", "an int64 array", "something else");
  }
  try {
    check_order(*order, sweep_, dataset_.size());
  } catch (const Error&) {
    serializer.fail("order",
                    str(sweep_, " indices of ", dataset_.size(), " examples"),
                    str("shape ", order->shape(), " or other indices"));
  }
  return order->copy();
}

void SerialIterator::serialize(const Serializer& serializer) {
  const bool has_order = shuffles_ || order_sampler_;
  if (serializer.is_writer()) {
    serializer("current_position", position_);
    serializer("epoch", epoch_);
    serializer("is_new_epoch", is_new_epoch_);
    if (has_order) serializer("order", order_);
    serializer("previous_epoch_detail", previous_epoch_detail_);
    if (shuffles_) write_random_state(serializer, "random_state", random_);
    return;
  }
  const int64_t position =
      serializer.number<int64_t>("current_position").value_or(position_);
  if (position < 0 || position >= std::max<int64_t>(sweep_, 1)) {
    serializer.fail("current_position",
                    str("a position in ", sweep_, " examples"), str(position));
  }
  const int64_t epoch = serializer.number<int64_t>("epoch").value_or(epoch_);
  if (epoch < 0) serializer.fail("epoch", "a number >= 0", str(epoch));
  const Array order = has_order ? read_order(serializer) : order_;
  const GeneratorState random =
      shuffles_
          ? read_random_state(serializer, "random_state").value_or(random_)
          : random_;
  serializer("is_new_epoch", is_new_epoch_);
  serializer("previous_epoch_detail", previous_epoch_detail_);
  serializer.on_commit([this, position, epoch, order, random] {
    position_ = position;
    epoch_ = epoch;
    order_ = order;
    random_ = random;
  });
}

}  // namespace catena::iterators
