#pragma once

#include <optional>
#include <string_view>

#include "catena/array/random/random.h"
#include "catena/serializers/serializer.h"

namespace catena {

// The state of a random generator as two uint64, seed and position. Chainer's
// files have none, so reading returns nullopt if the entry is missing. Throws
// IoError when the entry is invalid.
void write_random_state(const Serializer& serializer, std::string_view key,
                        const array::random::GeneratorState& state);
std::optional<array::random::GeneratorState> read_random_state(
    const Serializer& serializer, std::string_view key);

}  // namespace catena
