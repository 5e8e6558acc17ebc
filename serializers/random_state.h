#pragma once

#include <optional>
#include <string_view>

#include "catena/array/random.h"
#include "catena/serializers/serializer.h"

namespace catena {

// States of random generators as two uint64, seed and position. Files of the
// original have none, so reading gives nothing where the entry is missing.
// IoError when it is no such state.
void write_random_state(const Serializer& serializer, std::string_view key,
                        const array::random::GeneratorState& state);
std::optional<array::random::GeneratorState> read_random_state(
    const Serializer& serializer, std::string_view key);

}  // namespace catena
