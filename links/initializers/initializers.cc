#include "catena/links/initializers/initializers.h"

#include <cmath>
#include <string_view>
#include <variant>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"

namespace catena::initializers {
namespace {

double finite_scale(std::string_view name, double scale) {
  if (!std::isfinite(scale)) {
    raise<ValueError>(name, ": expected a finite scale, got ", scale);
  }
  return scale;
}

// A factor of a standard deviation.
double deviation_scale(std::string_view name, double scale) {
  if (!(scale >= 0) || !std::isfinite(scale)) {
    raise<ValueError>(name, ": expected a finite scale of at least 0, got ",
                      scale);
  }
  return scale;
}

void fill_normal(const Array& out, double deviation) {
  out.assign(array::random::normal(0.0, deviation, out.shape(), out.dtype(),
                                   out.device()));
}

// The same for a limit and its negative.
void fill_uniform(const Array& out, double limit) {
  const double bound = std::abs(limit);
  out.assign(array::random::uniform(-bound, bound, out.shape(), out.dtype(),
                                    out.device()));
}

double fan_in(const Array& out) {
  return static_cast<double>(get_fans(out.shape()).first);
}

double fan_out(const Array& out) {
  return static_cast<double>(get_fans(out.shape()).second);
}

}  // namespace

Array generate_array(const Initializer& initializer, const Shape& shape,
                     Device device) {
  Array out =
      array::empty(shape, initializer.dtype().value_or(get_dtype()), device);
  initializer(out);
  return out;
}

std::pair<int64_t, int64_t> get_fans(const Shape& shape) {
  if (shape.ndim() < 2) {
    raise<ShapeError>(
        "get_fans: expected a weight of at least 2 axes, got "
        "shape ",
        shape);
  }
  int64_t receptive_field = 1;
  for (int i = 2; i < shape.ndim(); ++i) receptive_field *= shape[i];
  return {shape[1] * receptive_field, shape[0] * receptive_field};
}

void Constant::operator()(const Array& out) const {
  const auto initializer = std::visit(
      [](const auto& value) { return Initializer{value}; }, fill_value);
  initializer(out);
}
void Zero::operator()(const Array& out) const { out.fill(0); }
void One::operator()(const Array& out) const { out.fill(1); }
void NaN::operator()(const Array& out) const { out.fill(std::nan("")); }

Identity::Identity(double scale) : scale(finite_scale("Identity", scale)) {}
void Identity::operator()(const Array& out) const {
  const Shape& shape = out.shape();
  if (shape.ndim() != 2 || shape[0] != shape[1]) {
    raise<ShapeError>("Identity: expected a square matrix, got shape ", shape);
  }
  out.assign(scale * array::identity(shape[0], out.dtype(), out.device()));
}

Normal::Normal(double scale) : scale(deviation_scale("Normal", scale)) {}
void Normal::operator()(const Array& out) const { fill_normal(out, scale); }

Uniform::Uniform(double scale) : scale(finite_scale("Uniform", scale)) {}
void Uniform::operator()(const Array& out) const { fill_uniform(out, scale); }

LeCunNormal::LeCunNormal(double scale)
    : scale(deviation_scale("LeCunNormal", scale)) {}
void LeCunNormal::operator()(const Array& out) const {
  fill_normal(out, scale * std::sqrt(1.0 / fan_in(out)));
}

LeCunUniform::LeCunUniform(double scale)
    : scale(finite_scale("LeCunUniform", scale)) {}
void LeCunUniform::operator()(const Array& out) const {
  fill_uniform(out, scale * std::sqrt(3.0 / fan_in(out)));
}

GlorotNormal::GlorotNormal(double scale)
    : scale(deviation_scale("GlorotNormal", scale)) {}
void GlorotNormal::operator()(const Array& out) const {
  fill_normal(out, scale * std::sqrt(2.0 / (fan_in(out) + fan_out(out))));
}

GlorotUniform::GlorotUniform(double scale)
    : scale(finite_scale("GlorotUniform", scale)) {}
void GlorotUniform::operator()(const Array& out) const {
  fill_uniform(out, scale * std::sqrt(6.0 / (fan_in(out) + fan_out(out))));
}

HeNormal::HeNormal(double scale, FanOption fan_option)
    : scale(deviation_scale("HeNormal", scale)), fan_option(fan_option) {}
void HeNormal::operator()(const Array& out) const {
  const double fan =
      fan_option == FanOption::kFanIn ? fan_in(out) : fan_out(out);
  fill_normal(out, scale * std::sqrt(2.0 / fan));
}

HeUniform::HeUniform(double scale) : scale(finite_scale("HeUniform", scale)) {}
void HeUniform::operator()(const Array& out) const {
  fill_uniform(out, scale * std::sqrt(6.0 / fan_in(out)));
}

}  // namespace catena::initializers
