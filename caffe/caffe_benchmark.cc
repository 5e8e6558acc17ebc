// Loading a .caffemodel compared with reading its bytes, and running nets
// compared with the same nets built from links.
//
//   ./bazelw run --config=opt //caffe:caffe_benchmark
//
// ReadBytes is the time to read the file into memory, Load the time to load a
// runnable model; "MiB" is the peak memory, "of_file" its ratio to the file
// size.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/caffe/caffe_function.h"
#include "catena/caffe/testing/reference_nets.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/normalization/local_response_normalization.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/tests/benchmarks/peak_memory.h"

namespace catena {
namespace {

namespace F = functions;
namespace L = links;

// A file of AlexNet's size, written once.
const std::string& alexnet_file() {
  static const std::string path = [] {
    std::string name = std::filesystem::temp_directory_path().string() +
                       "/catena_alexnet_benchmark.caffemodel";
    testing::alexnet().save(name);
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove(alexnet_file(), ignored);
    });
    return name;
  }();
  return path;
}

void report(benchmark::State& state, const PeakMemory& peak) {
  const auto size =
      static_cast<double>(std::filesystem::file_size(alexnet_file()));
  peak.report(state);
  state.counters["file_MiB"] = size / (1 << 20);
  state.counters["of_file"] = state.counters["MiB"] * (1 << 20) / size;
}

void ReadBytes(benchmark::State& state) {
  const std::string& path = alexnet_file();
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path));
  const PeakMemory peak;
  for (auto _ : state) {
    const Array bytes = array::empty({size}, Dtype::kUInt8);
    std::ifstream(path, std::ios::binary).read(bytes.raw_data(), size);
    benchmark::DoNotOptimize(bytes.raw_data());
  }
  report(state, peak);
}

void Load(benchmark::State& state) {
  const std::string& path = alexnet_file();
  const PeakMemory peak;
  for (auto _ : state) {
    const caffe::CaffeFunction model(path);
    benchmark::DoNotOptimize(&model);
  }
  report(state, peak);
}

// AlexNet built from links.
class AlexNet : public Chain<AlexNet> {
 public:
  AlexNet()
      : conv1(this, "conv1", 3, 96, 11, L::ConvolutionOptions{.stride = 4}),
        conv2(this, "conv2", 96, 256, 5,
              L::ConvolutionOptions{.pad = 2, .groups = 2}),
        conv3(this, "conv3", 256, 384, 3, L::ConvolutionOptions{.pad = 1}),
        conv4(this, "conv4", 384, 384, 3,
              L::ConvolutionOptions{.pad = 1, .groups = 2}),
        conv5(this, "conv5", 384, 256, 3,
              L::ConvolutionOptions{.pad = 1, .groups = 2}),
        fc6(this, "fc6", 9216, 4096),
        fc7(this, "fc7", 4096, 4096),
        fc8(this, "fc8", 4096, 1000) {}

  Variable forward(const Variable& x) {
    Variable h = pool(normalize(F::relu(conv1(x))));
    h = pool(normalize(F::relu(conv2(h))));
    h = F::relu(conv4(F::relu(conv3(h))));
    h = pool(F::relu(conv5(h)));
    return F::softmax(fc8(F::relu(fc7(F::relu(fc6(h))))));
  }

 private:
  static Variable pool(const Variable& x) {
    return F::max_pooling_2d(x, 3, {.stride = 2});
  }
  static Variable normalize(const Variable& x) {
    return F::local_response_normalization(x,
                                           {.n = 5, .k = 1, .alpha = 1e-4 / 5});
  }

  Child<L::Convolution2D> conv1, conv2, conv3, conv4, conv5;
  Child<L::Linear> fc6, fc7, fc8;
};

template <class Run>
void run_inference(benchmark::State& state, int64_t size, const Run& run) {
  const auto test = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  const Variable x(testing::made_up({1, 3, size, size}));
  run(x);
  for (auto _ : state) benchmark::DoNotOptimize(run(x).data().raw_data());
}

void run_caffe(benchmark::State& state, int64_t size,
               const testing::NetBuilder& net) {
  auto model = caffe::CaffeFunction::from_bytes(net.bytes());
  run_inference(state, size, [&](const Variable& x) {
    return model({{"data", x}}, {"prob"})[0];
  });
}

void AlexNetLinks(benchmark::State& state) {
  AlexNet model;
  run_inference(state, 227,
                [&](const Variable& x) { return model.forward(x); });
}
void AlexNetCaffe(benchmark::State& state) {
  run_caffe(state, 227, testing::alexnet());
}

template <class Model>
void run_links(benchmark::State& state) {
  Model model(std::nullopt);
  run_inference(state, 224, [&](const Variable& x) {
    return model(x, {"prob"}).at("prob");
  });
}
void GoogLeNetLinks(benchmark::State& state) { run_links<L::GoogLeNet>(state); }
void GoogLeNetCaffe(benchmark::State& state) {
  run_caffe(state, 224, testing::googlenet_of(L::GoogLeNet(std::nullopt)));
}
void ResNet50Links(benchmark::State& state) {
  run_links<L::ResNet50Layers>(state);
}
void ResNet50Caffe(benchmark::State& state) {
  run_caffe(state, 224, testing::resnet50_of(L::ResNet50Layers(std::nullopt)));
}

BENCHMARK(ReadBytes)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Load)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(AlexNetLinks)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(AlexNetCaffe)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(GoogLeNetLinks)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(GoogLeNetCaffe)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(ResNet50Links)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(ResNet50Caffe)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace catena
