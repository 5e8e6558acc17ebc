#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/array.h"

// The classes of ufuncs: callable objects with NumPy's introspection. Dtypes,
// shapes, devices and the result's memory are handled in one place for all
// ufuncs. ufunc.h declares the ufuncs.
namespace catena::array {

struct UfuncTraits;  // ufunc_traits.h

struct UfuncOptions {
  NamedFieldsOnly keywords = {};
  // Where the result is written; a new array if undefined. The operands must
  // broadcast to its shape. May share memory with the operands.
  Array out = {};
  // The dtype to compute in, instead of the one that follows from the operands.
  std::optional<Dtype> dtype = std::nullopt;
};

// Options of ufuncs with two results.
struct UfuncPairOptions {
  NamedFieldsOnly keywords = {};
  Array out1 = {};
  Array out2 = {};
  std::optional<Dtype> dtype = std::nullopt;
};

// The base class of ufuncs. Ufuncs are constants; copies denote the same
// function.
class Ufunc {
 public:
  std::string_view name() const;
  int nin() const;
  int nout() const;
  int nargs() const { return nin() + nout(); }
  // The supported dtypes in NumPy's type characters and order: "ff->f". E is
  // bfloat16, which NumPy lacks.
  std::vector<std::string> types() const;

 protected:
  explicit constexpr Ufunc(const UfuncTraits& traits) : traits_(&traits) {}

  Array call(std::span<const Operand* const> operands) const;
  Array call(std::span<const Operand* const> operands,
             const UfuncOptions& options) const;
  std::pair<Array, Array> call(std::span<const Operand* const> operands,
                               const UfuncPairOptions& options) const;

 private:
  const UfuncTraits* traits_;
};

// Ufuncs of one, two and three operands. All throw ShapeError when shapes do
// not broadcast; DeviceError for operands on different devices; DtypeError when
// the ufunc does not support a dtype, an integer dtype cannot hold a number, or
// Casting::kSameKind does not allow casting a result to `out` or an operand to
// `dtype`; and ValueError for an `out` whose elements share memory.
class UnaryUfunc : public Ufunc {
 public:
  explicit constexpr UnaryUfunc(const UfuncTraits& traits) : Ufunc(traits) {}

  Array operator()(const Operand& x) const {
    const Operand* const operands[] = {&x};
    return call(operands);
  }
  Array operator()(const Operand& x, const UfuncOptions& options) const {
    const Operand* const operands[] = {&x};
    return call(operands, options);
  }
};

// A ufunc of two arguments.
class BinaryUfunc : public Ufunc {
 public:
  explicit constexpr BinaryUfunc(const UfuncTraits& traits) : Ufunc(traits) {}

  Array operator()(const Operand& a, const Operand& b) const {
    const Operand* const operands[] = {&a, &b};
    return call(operands);
  }
  Array operator()(const Operand& a, const Operand& b,
                   const UfuncOptions& options) const {
    const Operand* const operands[] = {&a, &b};
    return call(operands, options);
  }
};

// A ufunc of three arguments.
class TernaryUfunc : public Ufunc {
 public:
  explicit constexpr TernaryUfunc(const UfuncTraits& traits) : Ufunc(traits) {}

  Array operator()(const Operand& a, const Operand& b, const Operand& c) const {
    const Operand* const operands[] = {&a, &b, &c};
    return call(operands);
  }
  Array operator()(const Operand& a, const Operand& b, const Operand& c,
                   const UfuncOptions& options) const {
    const Operand* const operands[] = {&a, &b, &c};
    return call(operands, options);
  }
};

// Ufuncs with two results: auto [mantissa, exponent] = frexp(x). When both
// outputs share memory, the second is written last.
class UnaryPairUfunc : public Ufunc {
 public:
  explicit constexpr UnaryPairUfunc(const UfuncTraits& traits)
      : Ufunc(traits) {}

  std::pair<Array, Array> operator()(
      const Operand& x, const UfuncPairOptions& options = {}) const {
    const Operand* const operands[] = {&x};
    return call(operands, options);
  }
};

// A ufunc of two arguments with two results.
class BinaryPairUfunc : public Ufunc {
 public:
  explicit constexpr BinaryPairUfunc(const UfuncTraits& traits)
      : Ufunc(traits) {}

  std::pair<Array, Array> operator()(
      const Operand& a, const Operand& b,
      const UfuncPairOptions& options = {}) const {
    const Operand* const operands[] = {&a, &b};
    return call(operands, options);
  }
};

// The traits of the ufunc of a functor.
template <class Op>
struct UfuncOf {
  static const UfuncTraits traits;
};

}  // namespace catena::array
