#pragma once

#include "catena/autograd/function_description.h"  // IWYU pragma: export

// The kinds of functions (FunctionKind), by which readers of a graph, such as
// plans and exporters, know them:
//
//   if (node.description().is<kinds::Linear>()) ...
//
// A function with a node of its own has a kind, which its node states along
// with the options; so do the nodes of gradients that are not themselves
// functions here. Elementwise functions have their rule as kind, those of
// internal/linear_map.h the type Kind of their map.
namespace catena::functions {

// The rules that others refer to: see engines/elementwise/rule.h.
struct Add;
struct LeakyRelu;
struct LocalResponse;
struct Relu;
struct Sigmoid;
struct Tanh;

namespace kinds {

using functions::Add;
using functions::LeakyRelu;
// The rule of local_response_normalization.
using LocalResponseNormalization = functions::LocalResponse;
using functions::Relu;
using functions::Sigmoid;
using functions::Tanh;

// activation
struct CRelu;
struct LogSoftmax;
struct Lstm;
struct Slstm;
struct Softmax;
struct TreeLstm;

// array
struct AsStrided;
struct BroadcastTo;
struct Cast;
struct Concat;
struct Copy;
struct Depth2Space;
struct Diagonal;
struct ExpandDims;
struct Flip;
struct GetItem;
struct Im2col;
struct Moveaxis;
struct Pad;
struct PadSequence;
struct Permutate;
struct Repeat;
struct Reshape;
struct ResizeImages;
struct Rollaxis;
struct ScatterAdd;
struct SelectItem;
struct Separate;
struct Space2Depth;
struct SpatialTransformerGrid;
struct SpatialTransformerSampler;
struct SplitAxis;
struct Squeeze;
struct Stack;
struct Swapaxes;
struct Tile;
struct Transpose;
struct TransposeSequence;
struct Where;

// attention
struct Attention;
struct RotaryEmbedding;

// connection
struct Convolution;
struct ConvolutionWeightGradient;
struct Deconvolution;
struct EmbedId;
struct Linear;
struct Shift;

// evaluation
struct Accuracy;
struct BinaryAccuracy;

// loss
struct ConnectionistTemporalClassification;
struct Hinge;
struct IndexedDot;
struct LinearCrossEntropy;
struct SoftmaxCrossEntropy;

// math
struct Average;
struct BatchDet;
struct BatchInv;
struct BatchL2NormSquared;
struct Cholesky;
struct Cumprod;
struct Cumsum;
struct Det;
struct Einsum;
struct EinsumDiagonal;
struct Fft;
struct Identity;
struct Ifft;
struct Inv;
struct LogSumExp;
struct Matmul;
struct Max;
struct Min;
struct Prod;
struct Sum;
struct SumTo;

// noise
struct Dropout;
struct GumbelNoise;
struct SimplifiedDropconnect;

// normalization
struct BatchNormalization;
struct DecorrelatedBatchNormalization;
struct FixedBatchNormalization;
struct GroupNormalization;
struct LayerNormalization;
struct Normalize;
struct RmsNormalization;

// pooling
struct AveragePooling;
struct MaxPooling;
struct RoiAverageAlign2D;
struct RoiAveragePooling2D;
struct RoiMaxAlign2D;
struct RoiMaxPooling2D;
struct WindowSums;
struct WindowTaps;

// rnn
struct NStepLayer;
struct NStepNetwork;

// util
struct Forget;

// The gradient of a function, the sum of an elementwise function along an axis,
// and the transpose of one that is linear.
template <class Kind>
struct GradientOf;
template <class Kind>
struct SumOf;
template <class Kind>
struct TransposeOf;

}  // namespace kinds
}  // namespace catena::functions
