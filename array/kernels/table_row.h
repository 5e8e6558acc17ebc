#pragma once

#include <type_traits>

#include "catena/array/core/dtype.h"

// Tables of operations are lists of rows; the member Op of a row is a functor.
namespace catena::array {

// FindRow<Op, Table>::type is the row of a functor.
template <class Op, class Table>
struct FindRow;
template <class Op, class Row, class... Rows>
struct FindRow<Op, TypeList<Row, Rows...>>
    : std::conditional_t<std::is_same_v<Op, typename Row::Op>,
                         std::type_identity<Row>,
                         FindRow<Op, TypeList<Rows...>>> {};
template <class Op>
struct FindRow<Op, TypeList<>> {};

// The functors of a table.
template <class... Rows>
constexpr TypeList<typename Rows::Op...> functors_of(TypeList<Rows...>) {
  return {};
}

}  // namespace catena::array
