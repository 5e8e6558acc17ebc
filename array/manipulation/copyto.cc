#include "catena/array/manipulation/copyto.h"

#include <string_view>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

std::string_view casting_name(Casting casting) {
  constexpr std::string_view kNames[] = {"no", "equiv", "safe", "same_kind",
                                         "unsafe"};
  return kNames[static_cast<int>(casting)];
}

void check_broadcast(const Array& a, const Array& dst, std::string_view what) {
  if (broadcast_shapes(a.shape(), dst.shape(), "copyto") != dst.shape()) {
    raise<ShapeError>("copyto: expected ", what, " that broadcasts to ",
                      dst.shape(), ", got shape ", a.shape());
  }
}

}  // namespace

void copyto(const Array& dst, const Operand& src,
            const CopytoOptions& options) {
  check_writable(dst, "copyto");
  const Dtype from = src.is_array() ? src.array().dtype()
                                    : src.scalar().promoted_with(dst.dtype());
  if (!can_cast(from, dst.dtype(), options.casting)) {
    raise<DtypeError>("copyto: expected a cast that '",
                      casting_name(options.casting), "' allows, got ", from,
                      " to ", dst.dtype());
  }
  const Array source = src.is_array()
                           ? src.array()
                           : full({}, src.scalar(), dst.dtype(), dst.device());
  check_broadcast(source, dst, "a source");
  if (!options.where) {
    dst.assign(source);
    return;
  }
  const Array& mask = *options.where;
  const Array* const both[] = {&dst, &mask};
  common_device(both, "copyto");
  if (mask.dtype() != Dtype::kBool) {
    raise<DtypeError>("copyto: expected a mask of dtype bool, got ",
                      mask.dtype());
  }
  check_broadcast(mask, dst, "a mask");
  const Array cast = source.to_device(dst.device())
                         .astype(dst.dtype(), Array::CopyPolicy::kIfNeeded);
  dst.assign(where(mask, cast, dst));
}

}  // namespace catena::array
