#include "catena/functions/math/fft.h"

#include <utility>

#include "catena/array/creation.h"
#include "catena/array/fft/fft.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

class Fft final : public FunctionNode {
 public:
  explicit Fft(bool inverse) : inverse_(inverse) {}

  std::string_view label() const override { return inverse_ ? "ifft" : "fft"; }
  FunctionDescription description() const override {
    return inverse_ ? FunctionDescription::of<kinds::Ifft>()
                    : FunctionDescription::of<kinds::Fft>();
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [real, imag] = in.names<2>({"real", "imag"});
    in.expect_same_dtype();
    in.expect(real.ndim() > type_check::Term(0));
    in.expect(real.shape() == imag.shape());
    in.expect(real.shape(-1) > type_check::Term(0));
  }

  Arrays forward(const Arrays& in) override {
    const auto [real, imag] = inverse_ ? array::fft::ifft(in[0], in[1])
                                       : array::fft::fft(in[0], in[1]);
    return {real, imag};
  }

  // The conjugate transpose of the transform is its inverse up to a factor.
  Variables backward(const Indexes&, const Variables& gy) override {
    const auto n = static_cast<double>(inputs()[0]->shape().back());
    const Variable real = part(gy[0]);
    const Variable imag = part(gy[1]);
    auto [gx_real, gx_imag] = inverse_ ? fft(real, imag) : ifft(real, imag);
    const double factor = inverse_ ? 1 / n : n;
    return {gx_real * factor, gx_imag * factor};
  }

 private:
  // Zeros where nothing depends on the output.
  Variable part(const Variable& gy) const {
    if (gy.defined()) return gy;
    const VariableNode& x = *inputs()[0];
    return as_variable(array::zeros(x.shape(), x.dtype(), x.device()));
  }

  bool inverse_;
};

std::array<Variable, 2> transform(const Variable& real, const Variable& imag,
                                  bool inverse) {
  const VariableRef inputs[] = {real, imag};
  Variables parts =
      apply_all<Fft>(std::span<const VariableRef>(inputs), inverse);
  return {std::move(parts[0]), std::move(parts[1])};
}

}  // namespace

std::array<Variable, 2> fft(const Variable& real, const Variable& imag) {
  return transform(real, imag, /*inverse=*/false);
}

std::array<Variable, 2> ifft(const Variable& real, const Variable& imag) {
  return transform(real, imag, /*inverse=*/true);
}

}  // namespace catena::functions
