#include "catena/serializers/random_state.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"

namespace catena {

using array::random::Generator;
using array::random::GeneratorState;

void write_random_state(const Serializer& serializer, std::string_view key,
                        const GeneratorState& state) {
  serializer.write(key, array::array(std::array{state.seed, state.position},
                                     std::nullopt, native_device()));
}

std::optional<GeneratorState> read_random_state(const Serializer& serializer,
                                                std::string_view key) {
  if (!serializer.contains(key)) return std::nullopt;
  const SerializedValue* entry = serializer.read(key);
  const Array* words = std::get_if<Array>(entry);
  if (words == nullptr || words->dtype() != Dtype::kUInt64 ||
      words->shape() != Shape{2}) {
    serializer.fail(key, "uint64 of shape (2,)", describe(*entry));
  }
  const Array contiguous = words->contiguous();
  const uint64_t* word = contiguous.data<uint64_t>();
  const GeneratorState state{.seed = word[0], .position = word[1]};
  try {
    Generator(0, native_device()).set_state(state);
  } catch (const ValueError&) {
    serializer.fail(key, "the state of a generator",
                    str("the position ", state.position));
  }
  return state;
}

}  // namespace catena
