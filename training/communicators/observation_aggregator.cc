#include "catena/training/communicators/observation_aggregator.h"

#include <cstring>
#include <string_view>

#include "catena/training/summary.h"
#include "catena/training/trainer.h"

namespace catena::training::communicators {
namespace {

// Each value is its name, a zero byte and its bytes. Those on GPUs are read
// together, by a summary of one observation.
std::string to_bytes(const Observation& values) {
  DictSummary summary;
  summary.add(values);
  std::string bytes;
  for (const auto& [name, value] : summary.compute_mean()) {
    const double number = value.as_double();
    bytes.append(name).push_back('\0');
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  return bytes;
}

Observation from_bytes(std::string_view bytes) {
  Observation values;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\0');
    double number = 0;
    std::memcpy(&number, bytes.data() + end + 1, sizeof(number));
    values.set(bytes.substr(0, end), number);
    bytes.remove_prefix(end + 1 + sizeof(number));
  }
  return values;
}

}  // namespace

Observation mean_over_ranks(const Observation& values,
                            Communicator& communicator) {
  DictSummary summary;
  for (const std::string& bytes :
       communicator.allgather_bytes(to_bytes(values))) {
    summary.add(from_bytes(bytes));
  }
  return summary.compute_mean();
}

void ObservationAggregator::operator()(Trainer& trainer) {
  trainer.observation().update(
      mean_over_ranks(trainer.observation(), communicator_));
}

}  // namespace catena::training::communicators
