#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "catena/array/array.h"
#include "catena/autograd/parameter.h"

// Initializers of parameters. Each is a callable that fills an array, and so
// converts to Initializer. Random ones draw from the generator of the array's
// device. More are in orthogonal.h and interpolation_filters.h.
namespace catena::initializers {

// A new array with initial values, in the initializer's dtype, by default
// config().dtype.
Array generate_array(const Initializer& initializer, const Shape& shape,
                     Device device = current_device());

// The fan-in and fan-out of a weight of shape (out, in, k...): in * prod(k) and
// out * prod(k). Throws ShapeError below 2 axes.
std::pair<int64_t, int64_t> get_fans(const Shape& shape);

// Fills with a constant, or with the values of an array on any device, which is
// broadcast to the parameter's shape. Throws ShapeError when it cannot be.
struct Constant {
  explicit Constant(Scalar value) : fill_value(value) {}
  explicit Constant(Array values) : fill_value(std::move(values)) {}
  std::variant<Scalar, Array> fill_value;
  void operator()(const Array& out) const;
};
// Fills with 0.
struct Zero {
  void operator()(const Array& out) const;
};
// Fills with 1.
struct One {
  void operator()(const Array& out) const;
};
// Fills with NaN, to make a missing initialization visible.
struct NaN {
  void operator()(const Array& out) const;
};

// The identity matrix times `scale`. Throws ShapeError unless the array is a
// square matrix, ValueError when the scale is not finite.
struct Identity {
  explicit Identity(double scale = 1.0);
  double scale;
  void operator()(const Array& out) const;
};

// Gaussian with mean 0 and standard deviation `scale`. Throws ValueError when
// the scale is negative or not finite.
struct Normal {
  explicit Normal(double scale = 0.05);
  double scale;
  void operator()(const Array& out) const;
};

// Uniform over [-scale, scale); a negative scale means the same as a positive
// one. Throws ValueError when the scale is not finite.
struct Uniform {
  explicit Uniform(double scale = 0.05);
  double scale;
  void operator()(const Array& out) const;
};

// Gaussian with standard deviation scale * sqrt(1 / fan_in) (LeCun et al.,
// 1998), the default for weights.
struct LeCunNormal {
  explicit LeCunNormal(double scale = 1.0);
  double scale;
  void operator()(const Array& out) const;
};
// Uniform with mean 0 and LeCunNormal's variance.
struct LeCunUniform {
  explicit LeCunUniform(double scale = 1.0);
  double scale;
  void operator()(const Array& out) const;
};

// Gaussian with standard deviation scale * sqrt(2 / (fan_in + fan_out)) (Glorot
// and Bengio, 2010).
struct GlorotNormal {
  explicit GlorotNormal(double scale = 1.0);
  double scale;
  void operator()(const Array& out) const;
};
// Uniform with mean 0 and GlorotNormal's variance (Glorot and Bengio, 2010).
struct GlorotUniform {
  explicit GlorotUniform(double scale = 1.0);
  double scale;
  void operator()(const Array& out) const;
};

// Whether a scale depends on the number of inputs or of outputs.
enum class FanOption { kFanIn, kFanOut };

// Gaussian with standard deviation scale * sqrt(2 / fan) (He et al., 2015).
struct HeNormal {
  explicit HeNormal(double scale = 1.0,
                    FanOption fan_option = FanOption::kFanIn);
  double scale;
  FanOption fan_option;
  void operator()(const Array& out) const;
};
// Uniform with mean 0 and HeNormal's variance (He et al., 2015).
struct HeUniform {
  explicit HeUniform(double scale = 1.0);
  double scale;
  void operator()(const Array& out) const;
};

}  // namespace catena::initializers
