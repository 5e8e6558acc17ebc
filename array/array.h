#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <vector>

#include "catena/array/axis.h"
#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/scalar.h"
#include "catena/array/core/shape.h"
#include "catena/array/core/storage.h"
#include "catena/array/index.h"

namespace catena {

class Operand;
struct OutOption;

namespace array {
struct ArgExtremeOptions;
struct CumulativeOptions;
struct OrderOptions;
struct ReduceOptions;
struct TakeOptions;
struct TraceOptions;
struct VarOptions;
// Methods of arrays that only these headers define.
struct AxesMethods;      // manipulation/axes.h
struct DiagonalMethods;  // manipulation/diagonal.h
struct MatmulMethods;    // linalg/matmul.h
struct NonzeroMethods;   // indexing/nonzero.h
struct RepeatMethods;    // manipulation/repeat.h
struct SortMethods;      // sorting/sort.h
struct UfuncMethods;     // ufunc/ufunc.h
}  // namespace array

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
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  // Makes the handle refer to another array, as assignment to a name does in
  // Python. A temporary cannot be assigned to, since nobody would see it.
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  ~Array() = default;

  // For use inside the array library. `offset` is in bytes from the start of
  // the storage.
  Array(Ref<Storage> storage, Dtype dtype, const Shape& shape,
        const Strides& strides, int64_t offset);
  // A C-contiguous array at the start of the storage.
  Array(Ref<Storage> storage, Dtype dtype, const Shape& shape);
  // An uninitialized array in C order. `size` is the product of the extents.
  Array(Device device, Dtype dtype, const Shape& shape, int64_t size);

  bool defined() const { return static_cast<bool>(body_); }
  explicit operator bool() const = delete;  // use defined() or item<bool>()

  Dtype dtype() const { return body().dtype; }
  const Shape& shape() const& { return body().shape; }
  Shape shape() && { return body().shape; }
  // Bytes from one element to the next along each axis; may be negative or 0.
  const Strides& strides() const& { return body().strides; }
  Strides strides() && { return body().strides; }
  int ndim() const { return body().shape.ndim(); }
  int64_t size() const { return body().size; }
  int64_t itemsize() const { return item_size(body().dtype); }
  int64_t nbytes() const { return size() * itemsize(); }
  Device device() const { return body().device; }
  // Whether the array is C-contiguous, and whether it is Fortran-contiguous:
  // its transpose is C-contiguous.
  bool is_contiguous() const { return body().contiguous; }
  bool is_f_contiguous() const { return transpose().is_contiguous(); }

  // Points to the first element. Writes are visible in every view of the
  // memory.
  char* raw_data() const { return body().data; }
  // raw_data() as T*; a device address on CUDA. Throws DtypeError unless T
  // matches dtype().
  template <Element T>
  T* data() const {
    check_dtype(dtype_of<T>, "Array::data");
    return reinterpret_cast<T*>(raw_data());
  }

  // The only element, cast as by astype. Waits for the device. Throws
  // ShapeError unless size() is 1.
  template <Element T>
  T item() const {
    return item_as_scalar().template as<T>();
  }
  Scalar item_as_scalar() const;

  // Copies the elements to the host in C order, cast as by astype. Waits for
  // the device.
  template <Element T>
  std::vector<T> to_vector() const {
    const Array host = astype(dtype_of<T>, CopyPolicy::kIfNeeded)
                           .contiguous()
                           .to_device(native_device());
    const T* const first = host.data<T>();
    return std::vector<T>(first, first + host.size());
  }

  // A view selected by integers, slices, newaxis and ellipsis: `a[{1, Slice(0,
  // 8)}]` (index.h). `a[0] = b` writes to a's memory, like
  // `a[0].assign(b)`. Throws IndexError.
  class View;
  View operator[](const std::initializer_list<Index>& indexes) const;
  View operator[](int64_t index) const;
  // Masks and indices give copies, not views, so their assignment needs
  // another form; does not compile.
  template <std::derived_from<Array> A>
  Array operator[](const A&) const {
    static_assert(sizeof(A) == 0,
                  "a[mask], a[indices]: write array::getitem(a, {mask}) for a "
                  "copy, array::setitem(a, {mask}, values) to assign "
                  "(catena/array/indexing/getitem.h)");
    return {};
  }

  // A view with permuted axes, `a.transpose({1, 0})` or `a.transpose(1, 0)`; an
  // empty `axes` reverses them.
  Array transpose(const Axes& axes = {}) const;
  template <std::integral First, std::integral... Others>
  Array transpose(First axis, Others... axes) const {
    return transpose(
        Axes{static_cast<int64_t>(axis), static_cast<int64_t>(axes)...});
  }
  Array T() const { return transpose(); }
  // The elements in C order with a new shape, `a.reshape({2, -1})` or
  // `a.reshape(2, -1)`; one extent may be -1. A view where the layout allows,
  // else a copy. Throws ShapeError.
  Array reshape(const Shape& shape) const;
  template <std::integral First, std::integral... Others>
  Array reshape(First extent, Others... extents) const {
    return reshape(
        Shape{static_cast<int64_t>(extent), static_cast<int64_t>(extents)...});
  }
  // A read-only view broadcast to `shape`. Throws ShapeError.
  Array broadcast_to(const Shape& shape) const;
  // Views with an axis of extent 1 inserted, or with axes of extent 1 removed,
  // by default all of them.
  Array expand_dims(const AxisOption& options) const;
  template <class = void>
  Array expand_dims(Axis axis) const {
    return expand_dims({.axis = axis});
  }
  Array squeeze(const AxisSetOption& options = {}) const;
  template <class = void>
  Array squeeze(const AxisSet& axis) const {
    return squeeze({.axis = axis});
  }
  Array ravel() const { return reshape({-1}); }
  // A 1-d copy in C order.
  Array flatten() const { return copy().reshape({-1}); }
  // A view of the same bytes as another dtype. If the item sizes differ, the
  // last axis shrinks or grows: it must be contiguous and its bytes divide
  // evenly into items, else ShapeError. Throws ValueError when the items would
  // be misaligned, DtypeError for bool, since not every byte is a valid bool.
  Array view(std::optional<Dtype> dtype = std::nullopt) const;

  // The extent of the first axis, like Python's len. Throws ShapeError for a
  // 0-d array.
  int64_t len() const;
  // Iterate over the views a[0], a[1], .... Throw ShapeError for a 0-d array.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  // NumPy's methods: the functions array::sum(a, ...) etc., whose headers
  // describe them and have the options. A program that calls one includes that
  // header, and depends on its target or on //array.

  // ufunc/ufunc.h: limits the elements to [min, max].
  template <class M = array::UfuncMethods>
  Array clip(const Operand& min, const Operand& max) const {
    return methods<M>().clip(*this, min, max);
  }

  // reduction/reduce.h
  Array sum(const array::ReduceOptions& options) const;
  template <class Options = array::ReduceOptions>
  Array sum(const AxisSet& axis = {}) const {
    return sum(options_with<Options>(axis));
  }
  Array sum(const AxisSet& axis, const array::ReduceOptions& options) const;
  Array prod(const array::ReduceOptions& options) const;
  template <class Options = array::ReduceOptions>
  Array prod(const AxisSet& axis = {}) const {
    return prod(options_with<Options>(axis));
  }
  Array prod(const AxisSet& axis, const array::ReduceOptions& options) const;
  Array mean(const array::ReduceOptions& options) const;
  template <class Options = array::ReduceOptions>
  Array mean(const AxisSet& axis = {}) const {
    return mean(options_with<Options>(axis));
  }
  Array mean(const AxisSet& axis, const array::ReduceOptions& options) const;
  Array max(const array::ReduceOptions& options) const;
  template <class Options = array::ReduceOptions>
  Array max(const AxisSet& axis = {}) const {
    return max(options_with<Options>(axis));
  }
  Array max(const AxisSet& axis, const array::ReduceOptions& options) const;
  Array min(const array::ReduceOptions& options) const;
  template <class Options = array::ReduceOptions>
  Array min(const AxisSet& axis = {}) const {
    return min(options_with<Options>(axis));
  }
  Array min(const AxisSet& axis, const array::ReduceOptions& options) const;
  Array all(const array::ReduceOptions& options) const;
  template <class Options = array::ReduceOptions>
  Array all(const AxisSet& axis = {}) const {
    return all(options_with<Options>(axis));
  }
  Array all(const AxisSet& axis, const array::ReduceOptions& options) const;
  Array any(const array::ReduceOptions& options) const;
  template <class Options = array::ReduceOptions>
  Array any(const AxisSet& axis = {}) const {
    return any(options_with<Options>(axis));
  }
  Array any(const AxisSet& axis, const array::ReduceOptions& options) const;
  Array argmax(const array::ArgExtremeOptions& options) const;
  template <class Options = array::ArgExtremeOptions>
  Array argmax(std::optional<Axis> axis = std::nullopt) const {
    return argmax(options_with<Options>(axis));
  }
  Array argmax(std::optional<Axis> axis,
               const array::ArgExtremeOptions& options) const;
  Array argmin(const array::ArgExtremeOptions& options) const;
  template <class Options = array::ArgExtremeOptions>
  Array argmin(std::optional<Axis> axis = std::nullopt) const {
    return argmin(options_with<Options>(axis));
  }
  Array argmin(std::optional<Axis> axis,
               const array::ArgExtremeOptions& options) const;

  // statistics/averages.h
  Array var(const array::VarOptions& options) const;
  template <class Options = array::VarOptions>
  Array var(const AxisSet& axis = {}) const {
    return var(options_with<Options>(axis));
  }
  Array var(const AxisSet& axis, const array::VarOptions& options) const;
  Array std(const array::VarOptions& options) const;
  template <class Options = array::VarOptions>
  Array std(const AxisSet& axis = {}) const {
    return std(options_with<Options>(axis));
  }
  Array std(const AxisSet& axis, const array::VarOptions& options) const;
  // statistics/order.h
  Array ptp(const array::OrderOptions& options) const;
  template <class Options = array::OrderOptions>
  Array ptp(const AxisSet& axis = {}) const {
    return ptp(options_with<Options>(axis));
  }
  // statistics/cumulative.h
  Array cumsum(const array::CumulativeOptions& options) const;
  template <class Options = array::CumulativeOptions>
  Array cumsum(std::optional<Axis> axis = std::nullopt) const {
    return cumsum(options_with<Options>(axis));
  }
  Array cumprod(const array::CumulativeOptions& options) const;
  template <class Options = array::CumulativeOptions>
  Array cumprod(std::optional<Axis> axis = std::nullopt) const {
    return cumprod(options_with<Options>(axis));
  }

  // linalg/matmul.h
  template <class M = array::MatmulMethods>
  Array dot(const Array& b) const {
    return methods<M>().dot(*this, b);
  }
  Array dot(const Array& b, const OutOption& options) const;

  // sorting/sort.h. sort() orders the elements in place.
  void sort(const AxisOption& options) const;
  template <class M = array::SortMethods>
  void sort(Axis axis = -1) const {
    methods<M>().sort(*this, axis);
  }
  Array argsort(const OptionalAxisOption& options) const;
  template <class M = array::SortMethods>
  Array argsort(std::optional<Axis> axis = -1) const {
    return methods<M>().argsort(*this, axis);
  }

  // take.h and indexing/nonzero.h
  Array take(const Array& indices, const array::TakeOptions& options) const;
  template <class Options = array::TakeOptions>
  Array take(const Array& indices,
             std::optional<Axis> axis = std::nullopt) const {
    return take(indices, options_with<Options>(axis));
  }
  template <class M = array::NonzeroMethods>
  std::vector<Array> nonzero() const {
    return methods<M>().nonzero(*this);
  }

  // manipulation/axes.h, diagonal.h and repeat.h
  template <class M = array::AxesMethods>
  Array swapaxes(int64_t axis1, int64_t axis2) const {
    return methods<M>().swapaxes(*this, axis1, axis2);
  }
  template <class M = array::DiagonalMethods>
  Array diagonal(int64_t offset = 0, int64_t axis1 = 0,
                 int64_t axis2 = 1) const {
    return methods<M>().diagonal(*this, offset, axis1, axis2);
  }
  Array trace(const array::TraceOptions& options) const;
  template <class M = array::DiagonalMethods>
  Array trace() const {
    return methods<M>().trace(*this);
  }
  Array repeat(int64_t repeats, const OptionalAxisOption& options) const;
  template <class M = array::RepeatMethods>
  Array repeat(int64_t repeats, std::optional<Axis> axis = std::nullopt) const {
    return methods<M>().repeat(*this, repeats, axis);
  }

  // A contiguous copy on the same device.
  Array copy() const;
  // The values cast to `dtype` by C++ conversion rules (NumPy's astype). With
  // kIfNeeded, an array that already has the dtype is returned unchanged.
  enum class CopyPolicy { kAlways, kIfNeeded };
  Array astype(Dtype dtype, CopyPolicy copy = CopyPolicy::kAlways) const;
  // This array if it is already on `device`, else a contiguous copy there.
  // Throws DeviceError when the device does not exist.
  Array to_device(Device device) const;
  // This array if it is contiguous, else a contiguous copy.
  Array contiguous() const;

  // Overwrite the elements with a number, or with an array, from any device,
  // broadcast to this shape; both are cast to this dtype. Throw ValueError when
  // elements of this array share memory, ShapeError.
  void fill(Scalar value) const;
  void assign(const Array& source) const;

  // The number of handles that share the description or the memory; 1 if only
  // this handle reaches the bytes.
  int32_t use_count() const;
  // The memory; arrays alias only if they share it.
  const Ref<Storage>& storage() const& { return body().storage; }
  Ref<Storage> storage() && { return body().storage; }
  bool is_same(const Array& other) const { return body_ == other.body_; }

  // Throws DtypeError naming `operation` unless dtype() is `expected`.
  void check_dtype(Dtype expected, std::string_view operation) const {
    if (dtype() != expected) [[unlikely]] {
      throw_dtype(expected, operation);
    }
  }

 private:
  friend class BorrowedArrays;

  // What the header of a method defines. If it was not included, then nothing
  // else is wrong with the call.
  template <class T>
  static constexpr bool has_header() {
    constexpr bool is_there = requires { sizeof(T); };
    static_assert(is_there,
                  "a.sum(), a.sort() and other methods of Array need the "
                  "header that catena/array/array.h names above them, such as "
                  "#include \"catena/array/reduction/reduce.h\"");
    return is_there;
  }
  template <class M>
  static constexpr auto methods() {
    if constexpr (has_header<M>()) return M();
  }
  template <class Options>
  static constexpr auto options_with(const auto& axis) {
    if constexpr (has_header<Options>()) {
      return Options{.axis = axis};
    } else {
      return axis;
    }
  }

  struct Body : cpu::Pooled {
    Body(Ref<Storage> storage, Dtype dtype, const Shape& shape,
         const Strides& strides, int64_t offset, int64_t size, bool contiguous);
    // In C order, beside its storage (Storage::room).
    Body(Ref<Storage> storage, Dtype dtype, const Shape& shape, int64_t size);
    void acquire() { refs.acquire(); }
    void release() noexcept {
      if (refs.release()) destroy();
    }
    void destroy() noexcept;

    RefCount refs;
    Dtype dtype;
    bool contiguous;
    bool is_in_room = false;
    Device device;
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
  [[noreturn]] void throw_dtype(Dtype expected,
                                std::string_view operation) const;

  Ref<Body> body_;
};

// The result of an index, which writes to the array when it is assigned to
// directly. As a variable it is a handle like any other:
//
//   a[0] = b;        // changes a
//   auto row = a[0];
//   row = b;         // does not
class Array::View : public Array {
 public:
  explicit View(Array view) : Array(std::move(view)) {}
  View(const View&) = default;
  View(View&&) noexcept = default;

  // Writes an array that broadcasts to this shape, or a number, cast to this
  // dtype.
  void operator=(const Array& source) && { assign(source); }
  void operator=(const View& source) && { assign(source); }
  template <Element T>
  void operator=(T value) && {
    fill(value);
  }

  View& operator=(const Array& other) & {
    Array::operator=(other);
    return *this;
  }
  View& operator=(const View& other) & = default;
  View& operator=(View&& other) & noexcept = default;
};

// There is no operator==, which NumPy defines elementwise: use array::equal, or
// array::array_equal for whole arrays.

// Elementwise operators with broadcasting and NumPy's promotion, the same as
// array::add etc. (ufunc.h). % is array::remainder; ~, &, |, ^, << and >> are
// bitwise. The result may reuse the memory of a temporary operand. For floor
// division and powers use array::floor_divide and array::power, in place with
// {.out = a}.
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
// In place: the result is cast to a's dtype. Throws DtypeError unless
// Casting::kSameKind allows the cast (floats do not become integers),
// ShapeError when b does not broadcast to a's shape.
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

// Prints the array as NumPy's print(a) does.
std::ostream& operator<<(std::ostream& os, const Array& a);

// The options of functions that have no keyword but `out`.
struct OutOption {
  NamedFieldsOnly keywords = {};
  // Where the result is written; a new array if undefined. It has the shape of
  // the result, else ShapeError; its device, else DeviceError; and a dtype to
  // which Casting::kSameKind allows casting, else DtypeError. It may share
  // memory with the operands, but its own elements must be distinct, else
  // ValueError.
  Array out = {};
};

// Iterates over the views along the first axis.
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
  len();  // throws for a 0-d array
  return Iterator(*this, 0);
}
inline Array::Iterator Array::end() const { return Iterator(*this, len()); }

// An argument that is an array or a number. It refers to the array, so it must
// not outlive the call.
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
  // Whether the caller's temporary is the only owner of the memory.
  bool is_reusable() const;

 private:
  const Array* array_ = nullptr;
  Scalar scalar_;
  bool expiring_ = false;
};

namespace array {

// An uninitialized array in C order, by default on the current device. Throws
// ShapeError on negative extents or too many bytes, OutOfMemoryError.
Array empty(const Shape& shape, Dtype dtype = Dtype::kFloat64,
            std::optional<Device> device = std::nullopt);
// An uninitialized array with the shape and device of `a`, and by default its
// dtype.
Array empty_like(const Array& a, std::optional<Dtype> dtype = std::nullopt);

}  // namespace array
}  // namespace catena
