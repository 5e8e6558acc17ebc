#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/array.h"

// What ufuncs are: objects that are called like functions, with what NumPy's
// know of themselves. From a call to its kernel - dtypes, shapes, devices, the
// result's memory - all is done in one place for all of them. ufunc.h declares
// each.
namespace catena::array {

struct UfuncTraits;  // ufunc_traits.h

struct UfuncOptions {
  // Where the result is written, of the shape to which the operands broadcast
  // or one to which that broadcasts. It may share memory with the operands. A
  // new array where it is undefined.
  Array out = {};
  // What the ufunc computes in, in place of what the operands' dtypes say.
  std::optional<Dtype> dtype = std::nullopt;
};

// The same for ufuncs with two results.
struct UfuncPairOptions {
  Array out1 = {};
  Array out2 = {};
  std::optional<Dtype> dtype = std::nullopt;
};

// What ufuncs have in common. They are constants: copies stand for the same
// function.
class Ufunc {
 public:
  std::string_view name() const;
  int nin() const;
  int nout() const;
  int nargs() const { return nin() + nout(); }
  // The dtypes it is offered in, in NumPy's letters and order: "ff->f". E is
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

// The ufuncs of one, two and three operands. All throw ShapeError when shapes
// do not broadcast, DeviceError for operands on different devices, DtypeError
// when a ufunc is not offered for a dtype, an integer dtype cannot hold a
// number, or a result or an operand does not cast by Casting::kSameKind to
// `out` or `dtype`, and ValueError for an `out` with elements that share
// memory.
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

// Those with two results: auto [mantissa, exponent] = frexp(x). When both
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

// The traits of the ufunc that a functor of the table stands for.
template <class Op>
struct UfuncOf {
  static const UfuncTraits traits;
};

}  // namespace catena::array
