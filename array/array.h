#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "catena/array/device.h"
#include "catena/array/dtype.h"
#include "catena/array/scalar.h"
#include "catena/array/shape.h"
#include "catena/array/storage.h"

namespace catena {

class Index;
class Operand;

// An n-dimensional array: a cheap handle (one pointer, copied by reference as
// in Python) to an immutable description - dtype, shape, strides, device - of
// shared, mutable memory. Basic indexing, transpose, broadcast_to and, where
// the layout allows, reshape return views of the same memory, as in NumPy.
//
// A default-constructed Array is undefined: it holds nothing, and every use but
// defined(), assignment and destruction throws ValueError.
class Array {
 public:
  Array() = default;

  // The parts put together as they are; for the array library itself. `offset`
  // is in bytes from the start of the storage.
  Array(Ref<Storage> storage, Dtype dtype, const Shape& shape,
        const Strides& strides, int64_t offset);
  // The same for elements in C order from the start of the storage.
  Array(Ref<Storage> storage, Dtype dtype, const Shape& shape);

  bool defined() const { return static_cast<bool>(body_); }
  explicit operator bool() const = delete;  // use defined() or item<bool>()

  Dtype dtype() const { return body().dtype; }
  const Shape& shape() const { return body().shape; }
  // Bytes from one element to the next along each axis; may be negative or 0.
  const Strides& strides() const { return body().strides; }
  int ndim() const { return body().shape.ndim(); }
  int64_t size() const { return body().size; }
  int64_t itemsize() const { return item_size(body().dtype); }
  int64_t nbytes() const { return size() * itemsize(); }
  Device device() const { return body().storage->device(); }
  // Whether the elements lie in C order without gaps.
  bool is_contiguous() const { return body().contiguous; }

  // The first element. Writing through it changes every view of the memory.
  char* raw_data() const { return body().data; }
  // The same, typed. DtypeError unless T is the dtype; on CUDA it is an address
  // on the device.
  template <Element T>
  T* data() const {
    check_dtype(dtype_of<T>, "Array::data");
    return reinterpret_cast<T*>(raw_data());
  }

  // The only element. ShapeError when there is not exactly one; the value is
  // cast as astype casts. Waits for the device.
  template <Element T>
  T item() const {
    return item_as_scalar().template as<T>();
  }
  Scalar item_as_scalar() const;

  // The elements in C order on the host, cast as astype casts. Waits for the
  // device.
  template <Element T>
  std::vector<T> to_vector() const {
    const Array host = astype(dtype_of<T>, CopyPolicy::kIfNeeded)
                           .contiguous()
                           .to_device(native_device());
    const T* const first = host.data<T>();
    return std::vector<T>(first, first + host.size());
  }

  // A view selected by integers, slices, newaxis and ellipsis:
  // a[{1, Slice(0, 8, 2)}], see index.h. IndexError.
  Array operator[](const std::initializer_list<Index>& indexes) const;
  Array operator[](int64_t index) const;

  // The axes permuted; reversed when `axes` is empty. A view.
  Array transpose(const Axes& axes = {}) const;
  Array T() const { return transpose(); }
  // The same elements in C order under another shape, one of whose extents may
  // be -1. A view where the layout allows, else a copy. ShapeError.
  Array reshape(const Shape& shape) const;
  // A read-only view repeated along new axes and axes of extent 1. ShapeError.
  Array broadcast_to(const Shape& shape) const;
  // With an axis of extent 1 inserted; without those of extent 1. Views.
  Array expand_dims(int64_t axis) const;
  Array squeeze(const Axes& axes = {}) const;
  Array ravel() const { return reshape({-1}); }
  // The elements in C order along one axis; always a copy.
  Array flatten() const { return copy().reshape({-1}); }
  // The same bytes as elements of another dtype, which is a view. Where the
  // items' sizes differ, the last axis shrinks or grows: ShapeError unless its
  // elements lie side by side and their bytes make whole items. ValueError when
  // those would not be aligned, DtypeError for bool, which not all bytes are.
  Array view(std::optional<Dtype> dtype = std::nullopt) const;

  // The extent of the first axis, as Python's len. ShapeError without one.
  int64_t len() const;
  // The views a[0], a[1], ..., for range-based for. ShapeError without an axis.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  // The elements limited to [min, max], as array::clip.
  Array clip(const Operand& min, const Operand& max) const;

  // A contiguous copy on the same device, or on another.
  Array copy() const;
  // The values cast as C++ casts them (NumPy's astype). With copy == kIfNeeded
  // an array that has the dtype already is returned as it is.
  enum class CopyPolicy { kAlways, kIfNeeded };
  Array astype(Dtype dtype, CopyPolicy copy = CopyPolicy::kAlways) const;
  // This array when it lives on the device already, else a contiguous copy
  // there. DeviceError when there is no such device.
  Array to_device(Device device) const;
  // This array when it is contiguous, else a contiguous copy.
  Array contiguous() const;

  // Writes a number, or an array that broadcasts to this shape, cast to this
  // dtype, into this array's memory.
  void fill(Scalar value) const;
  void assign(const Array& source) const;

  // How many handles share the description and its memory; 1 when this handle
  // is the only way to reach the bytes.
  int32_t use_count() const;
  // The memory; two arrays alias when theirs is the same.
  const Ref<Storage>& storage() const { return body().storage; }
  bool is_same(const Array& other) const { return body_ == other.body_; }

  // DtypeError naming `operation` unless this array has the dtype.
  void check_dtype(Dtype expected, std::string_view operation) const;

 private:
  friend class BorrowedArrays;

  struct Body : cpu::Pooled {
    Body(Ref<Storage> storage, Dtype dtype, const Shape& shape,
         const Strides& strides, int64_t offset);
    Body(Ref<Storage> storage, Dtype dtype, const Shape& shape);
    void acquire() { refs.acquire(); }
    void release() noexcept {
      if (refs.release()) delete this;
    }

    RefCount refs;
    Dtype dtype;
    bool contiguous;
    int64_t size;
    char* data;
    Ref<Storage> storage;
    Shape shape;
    Strides strides;
  };

  const Body& body() const {
    if (!body_) throw_undefined();
    return *body_;
  }
  [[noreturn]] static void throw_undefined();

  Ref<Body> body_;
};

// Equal values and dtype are compared by array::array_equal; there is no
// operator== on handles, since elementwise comparison is what NumPy's means.

// Elementwise arithmetic with broadcasting and NumPy's promotion, as
// array::add and the like (ufunc.h); % is array::remainder, and ~, &, |, ^, <<
// and >> are on bits. An operand that is a temporary lends its memory to the
// result. Rounded division is array::floor_divide, powers are array::power;
// with
// {.out = a} they are in place.
Array operator+(const Operand& a, const Operand& b);
Array operator-(const Operand& a, const Operand& b);
Array operator*(const Operand& a, const Operand& b);
Array operator/(const Operand& a, const Operand& b);
Array operator%(const Operand& a, const Operand& b);
Array operator&(const Operand& a, const Operand& b);
Array operator|(const Operand& a, const Operand& b);
Array operator^(const Operand& a, const Operand& b);
Array operator<<(const Operand& a, const Operand& b);
Array operator>>(const Operand& a, const Operand& b);
Array operator+(const Array& a);
Array operator-(const Array& a);
Array operator~(const Array& a);
// In place: the result is cast to a's dtype. DtypeError unless it casts by
// Casting::kSameKind (floats do not become integers); ShapeError when b does
// not broadcast to a's shape.
const Array& operator+=(const Array& a, const Operand& b);
const Array& operator-=(const Array& a, const Operand& b);
const Array& operator*=(const Array& a, const Operand& b);
const Array& operator/=(const Array& a, const Operand& b);
const Array& operator%=(const Array& a, const Operand& b);
const Array& operator&=(const Array& a, const Operand& b);
const Array& operator|=(const Array& a, const Operand& b);
const Array& operator^=(const Array& a, const Operand& b);
const Array& operator<<=(const Array& a, const Operand& b);
const Array& operator>>=(const Array& a, const Operand& b);

// NumPy's text of the array (str), as in print(a).
std::ostream& operator<<(std::ostream& os, const Array& a);

// Goes from view to view along the first axis.
class Array::Iterator {
 public:
  using value_type = Array;
  using difference_type = int64_t;

  Iterator() = default;
  Iterator(const Array& array, int64_t index) : array_(array), index_(index) {}

  Array operator*() const { return array_[index_]; }
  Iterator& operator++() {
    ++index_;
    return *this;
  }
  Iterator operator++(int) {
    const Iterator before = *this;
    ++index_;
    return before;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) {
    return a.index_ == b.index_;
  }

 private:
  Array array_;
  int64_t index_ = 0;
};

inline Array::Iterator Array::begin() const {
  len();  // throws without an axis
  return Iterator(*this, 0);
}
inline Array::Iterator Array::end() const { return Iterator(*this, len()); }

// An array or a number, as an argument. It only refers to the array, so it
// must not outlive the call.
class Operand {
 public:
  Operand(const Array& array) : array_(&array) {}
  // A temporary: its memory may become the result's.
  Operand(Array&& array) : array_(&array), expiring_(true) {}
  template <class T>
  requires Element<T> Operand(T value) : scalar_(value) {}
  Operand(Scalar value) : scalar_(value) {}

  bool is_array() const { return array_ != nullptr; }
  const Array& array() const { return *array_; }
  Scalar scalar() const { return scalar_; }
  // Whether nobody but the caller's temporary holds the memory.
  bool is_reusable() const;

 private:
  const Array* array_ = nullptr;
  Scalar scalar_;
  bool expiring_ = false;
};

namespace array {

// Uninitialized memory, in C order; the device defaults to the current one.
// ShapeError on negative extents or too many bytes, OutOfMemoryError.
Array empty(const Shape& shape, Dtype dtype = Dtype::kFloat64,
            std::optional<Device> device = std::nullopt);
// With the shape and device of `a`; the dtype defaults to its own.
Array empty_like(const Array& a, std::optional<Dtype> dtype = std::nullopt);

}  // namespace array
}  // namespace catena
