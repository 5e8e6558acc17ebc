#pragma once

#include <cstdint>
#include <initializer_list>

#include "absl/functional/function_ref.h"
#include "catena/serializers/hdf5_format.h"

// B-trees: the indexes of groups, attributes and chunks. Trees are walked as a
// whole. Both functions throw IoError when one is damaged or is no tree of the
// expected type.
namespace catena::serializers::hdf5 {

// Calls visit(before, child, behind) for the children of the leaves of a
// version 1 B-tree, in order, with the keys around each, of `key_bytes`.
using VisitChild =
    absl::FunctionRef<void(Cursor before, uint64_t child, Cursor behind)>;
void for_each_child(Walk& walk, uint64_t address, int type, uint64_t key_bytes,
                    VisitChild visit);

// Calls visit(record) for each record of a version 2 B-tree, in order.
void for_each_record(Walk& walk, uint64_t address, int type,
                     absl::FunctionRef<void(Cursor& record)> visit);

}  // namespace catena::serializers::hdf5
