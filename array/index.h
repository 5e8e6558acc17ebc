#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace catena {

class Array;

// Python's slice start:stop:step. Defaults for start and stop depend on the
// sign of step; negative values count from the end. Indexing with a step of 0
// throws IndexError.
class Slice {
 public:
  Slice() = default;
  explicit Slice(std::optional<int64_t> stop) : stop(stop) {}
  Slice(std::optional<int64_t> start, std::optional<int64_t> stop,
        int64_t step = 1)
      : start(start), stop(stop), step(step) {}

  std::optional<int64_t> start;
  std::optional<int64_t> stop;
  int64_t step = 1;
};

// A new axis of extent 1; all axes not indexed otherwise.
struct NewAxis {};
struct Ellipsis {};
inline constexpr NewAxis newaxis{};    // a[{newaxis}], NumPy's a[None]
inline constexpr Ellipsis ellipsis{};  // a[{ellipsis, 0}], NumPy's a[..., 0]

// One element of a basic index.
class Index {
 public:
  enum class Kind : uint8_t { kInteger, kSlice, kNewAxis, kEllipsis };

  template <std::integral T>
  Index(T integer) : kind_(Kind::kInteger), slice_(integer, std::nullopt) {}
  Index(const Slice& slice) : kind_(Kind::kSlice), slice_(slice) {}
  Index(NewAxis) : kind_(Kind::kNewAxis) {}
  Index(Ellipsis) : kind_(Kind::kEllipsis) {}

  Kind kind() const { return kind_; }
  int64_t integer() const { return *slice_.start; }
  const Slice& slice() const { return slice_; }

 private:
  Kind kind_;
  Slice slice_;
};

namespace array {

// The positions that a slice selects of a sequence: start, start + step, ...
struct SlicePositions {
  int64_t start;
  int64_t step;
  int64_t count;

  int64_t operator[](int64_t i) const { return start + i * step; }
};

// As in Python: bounds outside the sequence are clipped; the step of fewer than
// two positions is 1. Throws IndexError, with the caller's name, for a step of
// 0.
SlicePositions slice_positions(std::string_view who, const Slice& slice,
                               int64_t size);

// The view that NumPy's a[indexes] returns. Throws IndexError for an index out
// of range, naming its axis, and for too many indices.
Array basic_index(const Array& a, std::span<const Index> indexes);

}  // namespace array
}  // namespace catena
