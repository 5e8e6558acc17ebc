#pragma once

#include "catena/array/array.h"
#include "catena/array/ufunc/ufunc_call.h"

// Elementwise functions with NumPy's names, broadcasting and dtype rules.
// Arguments are arrays or C++ numbers, which are weak (scalar.h). If all are
// numbers, the result is a 0-d array on the current device.
//
// Ufuncs are callable objects. Options follow the operands: add(a, b, {.out =
// y}), add(a, b, {.dtype = Dtype::kFloat32}). ufunc_call.h documents the
// options, the exceptions and the introspection.
namespace catena::array {

// Clang warns because the definitions are in ufunc.cc only.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif

// Arithmetic. Integers wrap around; for bool, add is logical_or and multiply is
// logical_and.
inline constexpr BinaryUfunc add(UfuncOf<struct AddOp>::traits);  // a + b
inline constexpr BinaryUfunc subtract(
    UfuncOf<struct SubtractOp>::traits);  // a - b; not offered for bool
inline constexpr BinaryUfunc multiply(
    UfuncOf<struct MultiplyOp>::traits);  // a b
// a b + c in one pass over memory, which NumPy lacks.
inline constexpr TernaryUfunc multiply_add(
    UfuncOf<struct MultiplyAddOp>::traits);
inline constexpr BinaryUfunc true_divide(
    UfuncOf<struct TrueDivideOp>::traits);  // a / b; integers give float64
inline constexpr BinaryUfunc divide = true_divide;
// Floor division and its remainder, which has b's sign. bool gives int8;
// integers divided by 0 give 0.
inline constexpr BinaryUfunc floor_divide(
    UfuncOf<struct FloorDivideOp>::traits);  // a / b rounded down
inline constexpr BinaryUfunc remainder(
    UfuncOf<struct RemainderOp>::traits);  // a - b floor(a / b)
inline constexpr BinaryUfunc mod = remainder;
inline constexpr BinaryPairUfunc divmod(
    UfuncOf<struct DivmodOp>::traits);  // floor_divide and remainder
// The remainder with a's sign, as in C.
inline constexpr BinaryUfunc fmod(UfuncOf<struct FmodOp>::traits);
// a^b. bool gives int8. Throws ValueError for an integer array and a negative
// C++ integer as the exponent.
inline constexpr BinaryUfunc power(UfuncOf<struct PowerOp>::traits);
// 1 / x; 1, -1 or 0 for integers.
inline constexpr UnaryUfunc reciprocal(UfuncOf<struct ReciprocalOp>::traits);
inline constexpr UnaryUfunc positive(
    UfuncOf<struct PositiveOp>::traits);  // a copy
inline constexpr UnaryUfunc negative(UfuncOf<struct NegativeOp>::traits);  // -x
inline constexpr UnaryUfunc absolute(
    UfuncOf<struct AbsoluteOp>::traits);  // |x|
inline constexpr UnaryUfunc abs = absolute;
inline constexpr UnaryUfunc sign(
    UfuncOf<struct SignOp>::traits);  // -1, 0, 1, NaN; not offered for bool
inline constexpr UnaryUfunc square(UfuncOf<struct SquareOp>::traits);  // x^2

// The larger or the smaller of two; they differ for NaN.
inline constexpr BinaryUfunc maximum(
    UfuncOf<struct MaximumOp>::traits);  // the larger; NaN if either is NaN
inline constexpr BinaryUfunc minimum(
    UfuncOf<struct MinimumOp>::traits);  // the smaller; NaN if either is NaN
inline constexpr BinaryUfunc fmax(
    UfuncOf<struct FmaxOp>::traits);  // the larger; a NaN is ignored
inline constexpr BinaryUfunc fmin(
    UfuncOf<struct FminOp>::traits);  // the smaller; a NaN is ignored
// clip(x, min, max) = minimum(maximum(x, min), max).
inline constexpr TernaryUfunc clip(UfuncOf<struct ClipOp>::traits);

// All ufuncs from here to the comparisons compute in floats: integers give the
// float dtype that holds them (int8 gives float16, int16 float32, wider ones
// float64). On the CPU results are within 4 ULP of the exact value.

// Exponentials and logarithms.
inline constexpr UnaryUfunc exp(UfuncOf<struct ExpOp>::traits);    // e^x
inline constexpr UnaryUfunc exp2(UfuncOf<struct Exp2Op>::traits);  // 2^x
inline constexpr UnaryUfunc expm1(
    UfuncOf<struct Expm1Op>::traits);  // exp(x) - 1, accurate near 0
inline constexpr UnaryUfunc log(
    UfuncOf<struct LogOp>::traits);  // the natural logarithm
inline constexpr UnaryUfunc log2(
    UfuncOf<struct Log2Op>::traits);  // the logarithm to base 2
inline constexpr UnaryUfunc log10(
    UfuncOf<struct Log10Op>::traits);  // the logarithm to base 10
inline constexpr UnaryUfunc log1p(
    UfuncOf<struct Log1pOp>::traits);  // log(1 + x), accurate near 0
inline constexpr BinaryUfunc logaddexp(
    UfuncOf<struct LogAddExpOp>::traits);  // log(exp(a) + exp(b))
inline constexpr BinaryUfunc logaddexp2(
    UfuncOf<struct LogAddExp2Op>::traits);  // log2(2^a + 2^b)
inline constexpr UnaryUfunc sqrt(
    UfuncOf<struct SqrtOp>::traits);  // the square root
inline constexpr UnaryUfunc cbrt(
    UfuncOf<struct CbrtOp>::traits);  // the cube root
inline constexpr UnaryUfunc sigmoid(
    UfuncOf<struct SigmoidOp>::traits);  // 1 / (1 + exp(-x))
inline constexpr UnaryUfunc relu(
    UfuncOf<struct ReluOp>::traits);  // max(x, 0), also for integers

// Trigonometry, in radians.
inline constexpr UnaryUfunc sin(UfuncOf<struct SinOp>::traits);  // sine
inline constexpr UnaryUfunc cos(UfuncOf<struct CosOp>::traits);  // cosine
inline constexpr UnaryUfunc tan(UfuncOf<struct TanOp>::traits);  // tangent
inline constexpr UnaryUfunc arcsin(
    UfuncOf<struct ArcsinOp>::traits);  // inverse of sin, in [-pi/2, pi/2]
inline constexpr UnaryUfunc arccos(
    UfuncOf<struct ArccosOp>::traits);  // inverse of cos, in [0, pi]
inline constexpr UnaryUfunc arctan(
    UfuncOf<struct ArctanOp>::traits);  // inverse of tan, in [-pi/2, pi/2]
inline constexpr BinaryUfunc arctan2(
    UfuncOf<struct Arctan2Op>::traits);  // arctan2(y, x): the angle of (x, y)
inline constexpr BinaryUfunc hypot(
    UfuncOf<struct HypotOp>::traits);  // sqrt(a^2 + b^2) without overflow
inline constexpr UnaryUfunc sinh(
    UfuncOf<struct SinhOp>::traits);  // hyperbolic sine
inline constexpr UnaryUfunc cosh(
    UfuncOf<struct CoshOp>::traits);  // hyperbolic cosine
inline constexpr UnaryUfunc tanh(
    UfuncOf<struct TanhOp>::traits);  // hyperbolic tangent
inline constexpr UnaryUfunc arcsinh(
    UfuncOf<struct ArcsinhOp>::traits);  // inverse of sinh
inline constexpr UnaryUfunc arccosh(
    UfuncOf<struct ArccoshOp>::traits);  // inverse of cosh
inline constexpr UnaryUfunc arctanh(
    UfuncOf<struct ArctanhOp>::traits);  // inverse of tanh
inline constexpr UnaryUfunc deg2rad(
    UfuncOf<struct Deg2radOp>::traits);  // degrees to radians
inline constexpr UnaryUfunc radians = deg2rad;
inline constexpr UnaryUfunc rad2deg(
    UfuncOf<struct Rad2degOp>::traits);  // radians to degrees
inline constexpr UnaryUfunc degrees = rad2deg;

// Rounding to integers.
inline constexpr UnaryUfunc floor(
    UfuncOf<struct FloorOp>::traits);  // to the integer below
inline constexpr UnaryUfunc ceil(
    UfuncOf<struct CeilOp>::traits);  // to the integer above
inline constexpr UnaryUfunc trunc(
    UfuncOf<struct TruncOp>::traits);  // to the integer towards 0
inline constexpr UnaryUfunc fix = trunc;
inline constexpr UnaryUfunc rint(
    UfuncOf<struct RintOp>::traits);  // to the nearest integer, ties to even

// Floating-point decomposition.
inline constexpr UnaryUfunc signbit(
    UfuncOf<struct SignbitOp>::traits);  // bool; true for -0
inline constexpr BinaryUfunc copysign(
    UfuncOf<struct CopysignOp>::traits);  // |a| with the sign of b
inline constexpr UnaryPairUfunc frexp(
    UfuncOf<struct FrexpOp>::traits);  // mantissa in [1/2, 1) and exponent
inline constexpr BinaryUfunc ldexp(
    UfuncOf<struct LdexpOp>::traits);  // a 2^b for integer b
inline constexpr UnaryPairUfunc modf(
    UfuncOf<struct ModfOp>::traits);  // the fractional and the integral part
inline constexpr BinaryUfunc nextafter(
    UfuncOf<struct NextafterOp>::traits);  // the next float after a towards b

// Comparisons and logic; the results are bool.
inline constexpr BinaryUfunc equal(UfuncOf<struct EqualOp>::traits);  // a == b
inline constexpr BinaryUfunc not_equal(
    UfuncOf<struct NotEqualOp>::traits);                            // a != b
inline constexpr BinaryUfunc less(UfuncOf<struct LessOp>::traits);  // a < b
inline constexpr BinaryUfunc less_equal(
    UfuncOf<struct LessEqualOp>::traits);  // a <= b
inline constexpr BinaryUfunc greater(
    UfuncOf<struct GreaterOp>::traits);  // a > b
inline constexpr BinaryUfunc greater_equal(
    UfuncOf<struct GreaterEqualOp>::traits);  // a >= b
inline constexpr BinaryUfunc logical_and(
    UfuncOf<struct LogicalAndOp>::traits);  // a && b
inline constexpr BinaryUfunc logical_or(
    UfuncOf<struct LogicalOrOp>::traits);  // a || b
inline constexpr BinaryUfunc logical_xor(
    UfuncOf<struct LogicalXorOp>::traits);  // whether one of both is nonzero
inline constexpr UnaryUfunc logical_not(
    UfuncOf<struct LogicalNotOp>::traits);  // !x
inline constexpr UnaryUfunc isnan(
    UfuncOf<struct IsNanOp>::traits);  // whether NaN
inline constexpr UnaryUfunc isinf(
    UfuncOf<struct IsInfOp>::traits);  // whether infinite
inline constexpr UnaryUfunc isfinite(
    UfuncOf<struct IsFiniteOp>::traits);  // whether neither NaN nor infinite

// Bitwise for integers, logical for bool. Shifts compute in integers; bool
// gives int8. Shifting by a negative count, or by the dtype's width or more,
// gives 0, or -1 for a right shift of a negative value.
inline constexpr BinaryUfunc bitwise_and(
    UfuncOf<struct BitwiseAndOp>::traits);  // a & b
inline constexpr BinaryUfunc bitwise_or(
    UfuncOf<struct BitwiseOrOp>::traits);  // a | b
inline constexpr BinaryUfunc bitwise_xor(
    UfuncOf<struct BitwiseXorOp>::traits);                             // a ^ b
inline constexpr UnaryUfunc invert(UfuncOf<struct InvertOp>::traits);  // ~x
inline constexpr BinaryUfunc left_shift(
    UfuncOf<struct LeftShiftOp>::traits);  // a << b
inline constexpr BinaryUfunc right_shift(
    UfuncOf<struct RightShiftOp>::traits);  // a >> b

// if_true where the condition, of any dtype, is not zero (NaN is not), else
// if_false, with broadcasting.
Array where(const Array& condition, const Operand& if_true,
            const Operand& if_false);

// a.clip(min, max)
struct UfuncMethods {
  static Array clip(const Array& a, const Operand& min, const Operand& max) {
    return array::clip(a, min, max);
  }
};

#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace catena::array
