// Programs of user-defined kernels compile for GPUs. Needs no GPU.

#include "catena/cuda/nvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/user_kernel/kernel_source.h"

namespace catena::cuda {
namespace {

using array::CallForm;
using array::KernelText;
using array::ParamForm;
using array::parse_kernel_params;
using array::UserKernelProgram;
using ::testing::HasSubstr;
using Kind = ParamForm::Kind;

NvrtcResult compile(const UserKernelProgram& program) {
  return compile_with_nvrtc(program.source, {program.name + "_kernel"}, "90",
                            program.options);
}

KernelText elementwise(const char* in, const char* out, const char* operation) {
  return {.name = "k",
          .inputs = parse_kernel_params(in, "k", "in_params"),
          .outputs = parse_kernel_params(out, "k", "out_params"),
          .operation = operation};
}

TEST(NvrtcTest, CompilesElementwiseKernelsOfEveryDtype) {
  const KernelText text =
      elementwise("T x, T factor", "T y",
                  "T sum = x; sum += factor; y = sqrt((float)sum) * 2");
  for (int k = 0; k < kDtypeCount; ++k) {
    const auto dtype = static_cast<Dtype>(k);
    const NvrtcResult result = compile(
        elementwise_program(text, {.params = {{Kind::kContiguous, dtype},
                                              {Kind::kScalar, dtype},
                                              {Kind::kContiguous, dtype}},
                                   .small = k % 2 == 0,
                                   .backend = Backend::kCuda}));
    EXPECT_TRUE(result.ok) << dtype << "\n" << result.messages;
    EXPECT_EQ(result.lowered_names[0], "k_kernel");
    EXPECT_EQ(result.cubin.substr(1, 3), "ELF");
  }
}

TEST(NvrtcTest, CompilesRawParametersAndAllPartsOfAnElementwiseKernel) {
  KernelText text = elementwise(
      "S x, raw T y", "T z, raw int64 w",
      "z = twice(x) + y[0] + y[_ind.get()] + y[_ind.size() - 1 - i] + y.size() "
      "+ y.shape()[0] + n; count += max(x, S(1)); "
      "atomicAdd((unsigned long long*)&w[0], 1ull)");
  text.preamble =
      "template <class A> __device__ A twice(A a) { return a + a; }";
  text.loop_prep = "S count = 0";
  text.after_loop = "if (count < S(0)) w[0] = 1";
  const NvrtcResult result = compile(elementwise_program(
      text, {.params = {{Kind::kStrided, Dtype::kFloat32},
                        {Kind::kRaw, Dtype::kFloat16, 2},
                        {Kind::kStrided, Dtype::kFloat16},
                        {Kind::kRawContiguous, Dtype::kInt64, 1}},
             .ndim = 2,
             .backend = Backend::kCuda}));
  EXPECT_TRUE(result.ok) << result.messages;
}

TEST(NvrtcTest, CompilesReductions) {
  const KernelText text = {
      .name = "k",
      .inputs = parse_kernel_params("T x, raw T w, S scale", "k", "in_params"),
      .outputs = parse_kernel_params("T y, int32 where", "k", "out_params"),
      .preamble = "struct Best { float value; int64_t at; };\n",
      .map_expr = "Best{x * w[_j] * scale, i}",
      .reduce_expr = "a.value < b.value ? b : a",
      .post_map_expr = "y = a.value / _ind.size(); where = a.at + _i - n",
      .identity = "Best{-1e30f, -1}",
      .reduce_type = "Best"};
  for (const int ndim : {0, 1, 3}) {
    const UserKernelProgram program = reduction_program(
        text, {.params = {{Kind::kRepeated, Dtype::kBFloat16},
                          {Kind::kRawContiguous, Dtype::kBFloat16, 1},
                          {Kind::kScalar, Dtype::kFloat32},
                          {Kind::kStrided, Dtype::kBFloat16},
                          {Kind::kStrided, Dtype::kInt32}},
               .ndim = ndim,
               .reduced_ndim = 2,
               .small = ndim == 1,
               .backend = Backend::kCuda});
    const NvrtcResult result = compile(program);
    EXPECT_TRUE(result.ok) << result.messages;
    EXPECT_THAT(result.cubin, HasSubstr("k_combine"));
  }
}

TEST(NvrtcTest, MessagesCountTheLinesOfTheText) {
  const KernelText text = elementwise("T x", "T y", "T a = x;\ny = b;");
  const NvrtcResult result = compile(elementwise_program(
      text, {.params = {{Kind::kContiguous, Dtype::kFloat32},
                        {Kind::kContiguous, Dtype::kFloat32}},
             .backend = Backend::kCuda}));
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.messages, HasSubstr("operation(2): error"));
}

TEST(NvrtcTest, FindsTheNameOfATemplate) {
  const NvrtcResult result = compile_with_nvrtc(
      "template <class T> __global__ void fill(T* x, T value) { *x = value; }",
      {"fill<float>"}, "90", {});
  EXPECT_TRUE(result.ok) << result.messages;
  EXPECT_THAT(result.lowered_names[0], HasSubstr("fill"));
  EXPECT_THAT(result.cubin, HasSubstr(result.lowered_names[0]));
}

TEST(NvrtcTest, SaysWhichOptionIsUnknown) {
  const NvrtcResult result = compile_with_nvrtc(
      "extern \"C\" __global__ void f() {}", {"f"}, "90", {"--no-such-option"});
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.messages, HasSubstr("no-such-option"));
}

}  // namespace
}  // namespace catena::cuda
