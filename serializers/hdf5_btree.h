#pragma once

#include <cstdint>
#include <initializer_list>

#include "absl/functional/function_ref.h"
#include "catena/serializers/hdf5_format.h"

// B-trees: the indexes of groups, attributes and chunks. Trees are walked as a
// whole; IoError when one is damaged or is no tree of the expected type.
namespace catena::serializers::hdf5 {

// Calls visit(key, child) for the children of the leaves of a version 1 B-tree,
// in order; the key is that before the child, of `key_bytes`.
void for_each_child(Walk& walk, uint64_t address, int type, uint64_t key_bytes,
                    absl::FunctionRef<void(Cursor& key, uint64_t child)> visit);

// Calls visit(record) for each record of a version 2 B-tree, in any order.
void for_each_record(Walk& walk, uint64_t address, int type,
                     absl::FunctionRef<void(Cursor& record)> visit);

}  // namespace catena::serializers::hdf5
