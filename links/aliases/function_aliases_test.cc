#include "catena/links/aliases/function_aliases.h"

#include <gtest/gtest.h>

#include <concepts>

#include "catena/array/creation.h"
#include "catena/functions/functions.h"

namespace catena {
namespace {

namespace F = functions;
namespace L = links;

static_assert(std::same_as<F::BatchNormalization, L::BatchNormalization>);
static_assert(std::same_as<F::Bilinear, L::Bilinear>);
static_assert(
    std::same_as<F::BinaryHierarchicalSoftmax, L::BinaryHierarchicalSoftmax>);
static_assert(std::same_as<F::Convolution2D, L::Convolution2D>);
static_assert(std::same_as<F::Deconvolution2D, L::Deconvolution2D>);
static_assert(std::same_as<F::EmbedID, L::EmbedID>);
static_assert(std::same_as<F::Inception, L::Inception>);
static_assert(std::same_as<F::InceptionBN, L::InceptionBN>);
static_assert(std::same_as<F::NegativeSampling, L::NegativeSampling>);
static_assert(std::same_as<F::ParameterLink, L::ParameterLink>);
static_assert(std::same_as<F::PReLU, L::PReLU>);

// Beside every function: no name stands for two things.
TEST(FunctionAliasesTest, StandBesideTheFunctions) {
  static_assert(std::same_as<F::Linear, L::Linear>);
  F::Linear linear(3, 2);
  const Variable x(array::ones({4, 3}, Dtype::kFloat32));
  EXPECT_EQ(F::relu(linear(x)).shape(), Shape({4, 2}));
}

}  // namespace
}  // namespace catena
