#include "catena/autograd/autocast.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/variable_node.h"

// The kinds of functions. They are types that need no definition, so that the
// table can name functions of layers above.
namespace catena::functions {

struct AbsoluteError;
struct Add;
struct Arccos;
struct Arcsin;
struct Arctan2;
struct Arctanh;
struct BernoulliNll;
struct Contrastive;
struct Cosh;
struct Digamma;
struct Erfcinv;
struct Erfcx;
struct Erfinv;
struct Exp;
struct Expm1;
struct Gaussian;
struct GaussianKlDivergence;
struct GaussianNll;
struct HuberLoss;
struct LeakyRelu;
struct Lgamma;
struct LocalResponse;
struct Log;
struct Log10;
struct Log1p;
struct Log2;
struct LogNdtr;
struct LogitLoss;
struct Ndtri;
struct NumberPower;
struct Polygamma;
struct PolygammaOfOrder;
struct Power;
struct PowerNumber;
struct Relu;
struct Rsqrt;
struct Sigmoid;
struct SigmoidCrossEntropy;
struct Sinh;
struct Softplus;
struct SquaredDifference;
struct Tan;
struct Tanh;
struct Zeta;

namespace kinds {

struct Accuracy;
struct AsStrided;
struct Attention;
struct Average;
struct AveragePooling;
struct BatchDet;
struct BatchInv;
struct BatchL2NormSquared;
struct BatchNormalization;
struct BinaryAccuracy;
struct BroadcastTo;
struct CRelu;
struct Cast;
struct Cholesky;
struct Concat;
struct ConnectionistTemporalClassification;
struct Convolution;
struct ConvolutionWeightGradient;
struct Copy;
struct Cumprod;
struct Cumsum;
struct Deconvolution;
struct DecorrelatedBatchNormalization;
struct Depth2Space;
struct Det;
struct Diagonal;
struct Dropout;
struct Einsum;
struct EinsumDiagonal;
struct EmbedId;
struct ExpandDims;
struct Fft;
struct FixedBatchNormalization;
struct Flip;
struct Forget;
struct GetItem;
struct GroupNormalization;
struct GumbelNoise;
struct Hinge;
struct Identity;
struct Ifft;
struct Im2col;
struct IndexedDot;
struct Inv;
struct LayerNormalization;
struct Linear;
struct LinearCrossEntropy;
struct LogSoftmax;
struct LogSumExp;
struct Lstm;
struct Matmul;
struct Max;
struct MaxPooling;
struct Min;
struct Moveaxis;
struct NStepLayer;
struct NStepNetwork;
struct Normalize;
struct Pad;
struct PadSequence;
struct Permutate;
struct Prod;
struct Repeat;
struct Reshape;
struct ResizeImages;
struct RmsNormalization;
struct RoiAverageAlign2D;
struct RoiAveragePooling2D;
struct RoiMaxAlign2D;
struct RoiMaxPooling2D;
struct Rollaxis;
struct RotaryEmbedding;
struct ScatterAdd;
struct SelectItem;
struct Separate;
struct Shift;
struct SimplifiedDropconnect;
struct Slstm;
struct Softmax;
struct SoftmaxCrossEntropy;
struct Space2Depth;
struct SpatialTransformerGrid;
struct SpatialTransformerSampler;
struct SplitAxis;
struct Squeeze;
struct Stack;
struct Sum;
struct SumTo;
struct Swapaxes;
struct Tile;
struct Transpose;
struct TransposeSequence;
struct TreeLstm;
struct Where;
struct WindowSums;
struct WindowTaps;

template <class Kind>
struct SumOf;

}  // namespace kinds
}  // namespace catena::functions

namespace catena {
namespace {

using namespace functions;         // NOLINT: only names of kinds
using namespace functions::kinds;  // NOLINT

template <class... Kinds>
struct KindList {};

// Products, for which processors have units of 16 bits; they add in float32.
using Narrow = KindList<Attention, Convolution, ConvolutionWeightGradient,
                        Deconvolution, Einsum, Linear, LinearCrossEntropy,
                        Matmul, NStepLayer, NStepNetwork>;

// What loses too much in 16 bits: long sums, statistics, losses, states of
// cells, and functions that are steep or whose results span many magnitudes.
using Wide = KindList<
    AbsoluteError, Accuracy, Arccos, Arcsin, Arctan2, Arctanh, Average,
    BatchDet, BatchInv, BatchL2NormSquared, BernoulliNll, BinaryAccuracy,
    Cholesky, ConnectionistTemporalClassification, Contrastive, Cosh, Cumprod,
    Cumsum, DecorrelatedBatchNormalization, Det, Digamma, Erfcinv, Erfcx,
    Erfinv, Exp, Expm1, Fft, Gaussian, GaussianKlDivergence, GaussianNll,
    GroupNormalization, GumbelNoise, Hinge, HuberLoss, Ifft, IndexedDot, Inv,
    LayerNormalization, Lgamma, LocalResponse, Log, Log10, Log1p, Log2, LogNdtr,
    LogSoftmax, LogSumExp, LogitLoss, Lstm, Ndtri, Normalize, NumberPower,
    Polygamma, PolygammaOfOrder, Power, PowerNumber, Prod, RmsNormalization,
    Rsqrt, SigmoidCrossEntropy, Sinh, Slstm, Softmax, SoftmaxCrossEntropy,
    Softplus, SquaredDifference, Sum, SumTo, Tan, TreeLstm, Zeta,
    SumOf<AbsoluteError>, SumOf<BernoulliNll>, SumOf<Contrastive>,
    SumOf<GaussianKlDivergence>, SumOf<GaussianNll>, SumOf<HuberLoss>,
    SumOf<LogitLoss>, SumOf<SigmoidCrossEntropy>, SumOf<SquaredDifference>>;

// What moves or selects elements, or is about as exact as its inputs.
using Widest = KindList<
    Add, AsStrided, AveragePooling, BroadcastTo, CRelu, Concat, Copy,
    Depth2Space, Diagonal, Dropout, EinsumDiagonal, EmbedId, ExpandDims, Flip,
    GetItem, Identity, Im2col, LeakyRelu, Max, MaxPooling, Min, Moveaxis, Pad,
    PadSequence, Permutate, Relu, Repeat, Reshape, ResizeImages,
    RoiAverageAlign2D, RoiAveragePooling2D, RoiMaxAlign2D, RoiMaxPooling2D,
    Rollaxis, RotaryEmbedding, ScatterAdd, SelectItem, Separate, Shift, Sigmoid,
    SimplifiedDropconnect, Space2Depth, SpatialTransformerGrid,
    SpatialTransformerSampler, SplitAxis, Squeeze, Stack, Swapaxes, Tanh, Tile,
    Transpose, TransposeSequence, Where, WindowSums, WindowTaps>;

// What takes inputs of different dtypes: batch normalization computes in the
// dtype of its parameters.
using AsGiven =
    KindList<BatchNormalization, Cast, FixedBatchNormalization, Forget>;

struct Row {
  FunctionKind kind;
  AutocastRule rule;
};

template <class... Kinds>
void add_rows(std::vector<Row>& rows, AutocastRule rule, KindList<Kinds...>) {
  (rows.push_back({FunctionKind::of<Kinds>(), rule}), ...);
}

std::vector<Row> make_rows() {
  std::vector<Row> rows;
  add_rows(rows, AutocastRule::kNarrow, Narrow());
  add_rows(rows, AutocastRule::kWide, Wide());
  add_rows(rows, AutocastRule::kWidest, Widest());
  add_rows(rows, AutocastRule::kAsGiven, AsGiven());
  return rows;
}

// A cast that is part of the graph.
class CastInput final : public FunctionNode {
 public:
  explicit CastInput(Dtype dtype) : dtype_(dtype) {}

  std::string_view label() const override { return "autocast"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<Cast>({{"typ", dtype_}});
  }
  Arrays forward(const Arrays& in) override { return {in[0].astype(dtype_)}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {catena::apply<CastInput>({gy[0]}, inputs()[0]->dtype())};
  }

 private:
  Dtype dtype_;
};

// The copy of a parameter.
struct ParameterCopy {
  // Keeps the address from being another parameter's.
  Ref<VariableNode> parameter;
  int64_t version;
  Variable copy;
};

using ParameterCopies = std::unordered_map<const VariableNode*, ParameterCopy>;

ParameterCopies& parameter_copies() {
  thread_local ParameterCopies copies;
  return copies;
}

// Whether a copy can be used again for a parameter, by calls that record a
// graph or not.
bool is_fresh(const ParameterCopy& entry, const VariableNode& parameter,
              Dtype dtype) {
  if (entry.version != parameter.version() || entry.copy.dtype() != dtype ||
      entry.copy.requires_grad() != parameter.requires_grad()) {
    return false;
  }
  if (!config().enable_backprop || !parameter.requires_grad()) return true;
  // It was made without a graph, or unchain_backward() cut the graph.
  const FunctionNode* creator = entry.copy.creator_node();
  return creator != nullptr && !creator->inputs().empty();
}

}  // namespace

AutocastRule autocast_rule(FunctionKind kind) {
  static const std::vector<Row> rows = make_rows();
  const auto row = std::ranges::find(rows, kind, &Row::kind);
  return row == rows.end() ? AutocastRule::kWidest : row->rule;
}

namespace internal {

std::optional<Dtype> autocast_dtype(AutocastRule rule,
                                    std::span<const VariableRef> inputs) {
  if (rule == AutocastRule::kAsGiven) return std::nullopt;
  std::optional<Dtype> first;
  bool are_mixed = false;
  for (const Variable& input : inputs) {
    // The call itself says what is wrong with it.
    if (!input.defined() || !input.data().defined()) return std::nullopt;
    const Dtype dtype = input.dtype();
    if (!is_floating(dtype)) continue;
    if (dtype == Dtype::kFloat64) return std::nullopt;
    if (!first) first = dtype;
    are_mixed |= dtype != *first;
  }
  if (!first) return std::nullopt;
  switch (rule) {
    case AutocastRule::kNarrow:
      return config().autocast.dtype();
    case AutocastRule::kWide:
      return Dtype::kFloat32;
    default:
      if (!are_mixed) return std::nullopt;
      return Dtype::kFloat32;
  }
}

Variable autocast(const Variable& x, Dtype dtype) {
  const VariableNode& node = *x.node();
  if (node.version() < 0) return apply<CastInput>({x}, dtype);
  ParameterCopies& copies = parameter_copies();
  const auto found = copies.find(&node);
  if (found != copies.end() && is_fresh(found->second, node, dtype)) {
    return found->second.copy;
  }
  if (found != copies.end()) copies.erase(found);
  Variable copy = apply<CastInput>({x}, dtype);
  set_autocast_end(&drop_autocast_copies);
  copies.insert_or_assign(
      &node, ParameterCopy{Ref<VariableNode>(x.node()), node.version(), copy});
  return copy;
}

Variable autocast_input(const Variable& x, AutocastRule rule) {
  if (!config().autocast.is_on()) return x;
  const VariableRef inputs[] = {x};
  const std::optional<Dtype> dtype = autocast_dtype(rule, inputs);
  return !dtype || x.dtype() == *dtype ? x : autocast(x, *dtype);
}

bool is_autocast(Dtype from, Dtype to) {
  const auto is_cast = [](Dtype dtype) {
    return is_floating(dtype) && dtype != Dtype::kFloat64;
  };
  return config().autocast.is_on() && is_cast(from) && is_cast(to);
}

Variable autocast_like(const Variable& x, const Variable& like) {
  if (!is_autocast(x.dtype(), like.dtype()) || x.dtype() == like.dtype()) {
    return x;
  }
  return autocast(x, like.dtype());
}

void drop_autocast_copies() {
  // Not clear() alone, which costs time for an empty map, too.
  if (ParameterCopies& copies = parameter_copies(); !copies.empty()) {
    copies.clear();
  }
}

}  // namespace internal
}  // namespace catena
