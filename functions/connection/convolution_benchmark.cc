// float32 convolutions compared with bare oneDNN primitives, in oneDNN's
// preferred layout and in C order. FLOP/s count the multiplications and
// additions of the definition; Winograd's algorithm does with fewer, unless
// CATENA_WINOGRAD=0.

#include <benchmark/benchmark.h>

#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/creation.h"
#include "catena/array/onednn/primitive.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/functions/connection/convolution_nd.h"

namespace catena::functions {
namespace {

// Images, their channels and extent; filters, their extent and stride.
struct Size {
  int64_t N, C, h, O, k, stride;

  explicit Size(const benchmark::State& state)
      : N(state.range(0)),
        C(state.range(1)),
        h(state.range(2)),
        O(state.range(3)),
        k(state.range(4)),
        stride(state.range(5)) {}

  int64_t pad() const { return k / 2; }
  int64_t out() const { return get_conv_outsize(h, k, stride, pad()); }
  double flops() const {
    return 2.0 * static_cast<double>(N * O * out() * out() * C * k * k);
  }
};

void set_flops(benchmark::State& state, double flops) {
  state.counters["FLOP/s"] =
      benchmark::Counter(flops * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

Array noise(const Shape& shape) {
  return array::random::normal(0, 1, shape, Dtype::kFloat32);
}

void BM_Forward(benchmark::State& state) {
  const Size size(state);
  const auto test = no_backprop_mode();
  const Variable x(noise({size.N, size.C, size.h, size.h}));
  const Variable W(noise({size.O, size.C, size.k, size.k}));
  const Variable b(noise({size.O}));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        convolution_2d(x, W, b, {.stride = size.stride, .pad = size.pad()}));
  }
  set_flops(state, size.flops());
}

// The gradients of x, W and b.
void BM_Backward(benchmark::State& state) {
  const Size size(state);
  const Variable x(noise({size.N, size.C, size.h, size.h}));
  const Variable W(noise({size.O, size.C, size.k, size.k}));
  const Variable b(noise({size.O}));
  const Variable y =
      convolution_2d(x, W, b, {.stride = size.stride, .pad = size.pad()});
  const std::vector<Variable> gy = {Variable(noise(y.shape()))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(grad({y}, {x, W, b}, {.grad_outputs = gy}));
  }
  set_flops(state, 2 * size.flops());
}

namespace onednn = ::catena::cpu::onednn;
using dnnl::memory;
using Tag = memory::format_tag;

memory zeros(const memory::desc& desc, const dnnl::engine& engine) {
  memory result(desc, engine);
  std::memset(result.get_data_handle(), 0, desc.get_size());
  return result;
}

// Repeats one primitive on memory in its preferred layout.
void run(benchmark::State& state, const dnnl::primitive& primitive,
         const std::unordered_map<int, memory>& arguments,
         const dnnl::engine& engine) {
  dnnl::stream stream(engine);
  for (auto _ : state) {
    primitive.execute(stream, arguments);
    stream.wait();
  }
}

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

struct Descriptions {
  Descriptions(const Size& size, Tag tag)
      : x({size.N, size.C, size.h, size.h}, memory::data_type::f32, tag),
        W({size.O, size.C, size.k, size.k}, memory::data_type::f32, Tag::any),
        y({size.N, size.O, size.out(), size.out()}, memory::data_type::f32,
          tag),
        stride{size.stride, size.stride},
        pad{size.pad(), size.pad()} {
    const int64_t reach = (size.out() - 1) * size.stride + size.k;
    const int64_t right = reach - size.h - size.pad();
    pad_right = {right, right};
  }

  auto forward() const {
    return onednn::describe_primitive<dnnl::convolution_forward>(
        {}, dnnl::prop_kind::forward_training, kDirect, x, W, y, stride, pad,
        pad_right);
  }
  template <class Gradient>
  auto backward() const {
    return onednn::describe_gradient<Gradient>({}, forward(), kDirect, x, W, y,
                                               stride, pad, pad_right);
  }

  memory::desc x, W, y;
  memory::dims stride, pad, pad_right;
};

void dnnl_forward(benchmark::State& state, Tag tag) {
  const Size size(state);
  const Descriptions d(size, tag);
  const dnnl::engine& engine = onednn::engine();
  const auto primitive = d.forward();
  run(state, dnnl::convolution_forward(primitive),
      {{DNNL_ARG_SRC, zeros(primitive.src_desc(), engine)},
       {DNNL_ARG_WEIGHTS, zeros(primitive.weights_desc(), engine)},
       {DNNL_ARG_DST, zeros(primitive.dst_desc(), engine)}},
      engine);
  set_flops(state, size.flops());
}

void BM_OneDnnBlockedForward(benchmark::State& state) {
  dnnl_forward(state, Tag::any);
}
void BM_OneDnnPlainForward(benchmark::State& state) {
  dnnl_forward(state, Tag::nchw);
}

void BM_OneDnnBlockedBackwardData(benchmark::State& state) {
  const Size size(state);
  const Descriptions d(size, Tag::any);
  const dnnl::engine& engine = onednn::engine();
  const auto primitive = d.backward<dnnl::convolution_backward_data>();
  run(state, dnnl::convolution_backward_data(primitive),
      {{DNNL_ARG_DIFF_SRC, zeros(primitive.diff_src_desc(), engine)},
       {DNNL_ARG_WEIGHTS, zeros(primitive.weights_desc(), engine)},
       {DNNL_ARG_DIFF_DST, zeros(primitive.diff_dst_desc(), engine)}},
      engine);
  set_flops(state, size.flops());
}

void BM_OneDnnBlockedBackwardWeights(benchmark::State& state) {
  const Size size(state);
  const Descriptions d(size, Tag::any);
  const dnnl::engine& engine = onednn::engine();
  const auto primitive = d.backward<dnnl::convolution_backward_weights>();
  run(state, dnnl::convolution_backward_weights(primitive),
      {{DNNL_ARG_SRC, zeros(primitive.src_desc(), engine)},
       {DNNL_ARG_DIFF_WEIGHTS, zeros(primitive.diff_weights_desc(), engine)},
       {DNNL_ARG_DIFF_DST, zeros(primitive.diff_dst_desc(), engine)}},
      engine);
  set_flops(state, size.flops());
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"N", "C", "h", "O", "k", "s"})
      ->Args({8, 64, 56, 64, 3, 1})    // the one that peers are measured by
      ->Args({8, 128, 28, 128, 3, 1})  // and the others of ResNet-50
      ->Args({8, 256, 14, 256, 3, 1})
      ->Args({8, 512, 7, 512, 3, 1})
      ->Args({1, 64, 56, 64, 3, 1})
      ->Args({1, 128, 28, 128, 3, 1})
      ->Args({1, 256, 14, 256, 3, 1})
      ->Args({1, 512, 7, 512, 3, 1})
      ->Args({32, 64, 56, 64, 3, 1})
      ->Args({8, 64, 112, 64, 3, 1})
      ->Args({8, 64, 56, 256, 1, 1})  // ResNet's expansions
      ->Args({8, 128, 28, 128, 3, 2})
      ->Args({8, 3, 224, 64, 7, 2})  // the first layer
      ->Args({64, 20, 13, 50, 5, 1})
      ->Args({1, 17, 19, 33, 3, 1})  // nothing fits
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}
BENCHMARK(BM_Forward)->Apply(shapes);
BENCHMARK(BM_OneDnnBlockedForward)->Apply(shapes);
BENCHMARK(BM_OneDnnPlainForward)->Apply(shapes);
BENCHMARK(BM_Backward)->Apply(shapes);
BENCHMARK(BM_OneDnnBlockedBackwardData)->Apply(shapes);
BENCHMARK(BM_OneDnnBlockedBackwardWeights)->Apply(shapes);

}  // namespace
}  // namespace catena::functions
