#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/random/random.h"
#include "catena/dataset/iterators/order_sampler.h"
#include "catena/serializers/serializer.h"

// Order and position in a dataset; shared by all iterators.
namespace catena::iterators {

struct SweepOptions {
  NamedFieldsOnly keywords = {};
  // Whether to repeat sweeps forever. Then batches are always full and may span
  // two sweeps.
  bool repeat = true;
  // Whether each sweep has a new random order; defaults to true unless there is
  // an order_sampler.
  std::optional<bool> shuffle = std::nullopt;
  OrderSampler order_sampler = nullptr;
  // The seed of the random orders; defaults to one drawn from native:0's
  // generator, which array::random::seed() seeds.
  std::optional<uint64_t> seed = std::nullopt;
};

// A point between two minibatches.
struct SweepState {
  // Completed sweeps, including the fraction of the current one.
  double epoch_detail() const;
  // nullopt before the first minibatch.
  std::optional<double> previous_detail() const;

  Array order;           // of this sweep; immutable, since batches share it
  int64_t position = 0;  // in the order
  int64_t epoch = 0;
  bool is_new_epoch = false;
  double previous_epoch_detail = -1;
  array::random::GeneratorState random;  // for the next orders
};

// Sweeps over the indices of a dataset.
class Sweeps {
 public:
  // Throws ValueError, naming `iterator`, when batch_size < 1, when the dataset
  // is empty but repeated, or when both shuffle and order_sampler are given.
  Sweeps(std::string_view iterator, int64_t dataset_size, int64_t batch_size,
         const SweepOptions& options);

  int64_t batch_size() const { return batch_size_; }
  bool repeat() const { return repeat_; }
  const SweepState& state() const { return state_; }
  SweepState& state() { return state_; }

  // The indices of the next minibatch (1-d, int64, contiguous, on native:0);
  // nullopt at the end. Throws ValueError or IndexError when the order sampler
  // returns an invalid order, or the sampler's own exception; then the state is
  // unchanged.
  std::optional<Array> next();
  // Back to the start, with a new order if there is an order sampler.
  void reset();

  // A state of these sweeps under Chainer's keys, and the random state of the
  // next orders. Throws IoError when an order does not match the dataset.
  void serialize(const Serializer& serializer, SweepState& state) const;

 private:
  Array sample_order(SweepState& state, int64_t current_position) const;
  void check_order(const Array& order, int64_t length) const;
  Array read_order(const Serializer& serializer, const Array& current) const;

  std::string_view iterator_;
  int64_t dataset_size_;
  int64_t batch_size_;
  bool repeat_;
  bool shuffles_;
  bool is_random_;
  OrderSampler order_sampler_;  // null when shuffling, or for 0, 1, 2, ...
  SweepState state_;
};

}  // namespace catena::iterators
