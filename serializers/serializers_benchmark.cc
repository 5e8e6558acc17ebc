// Saving and loading 100 MB in every format, compared with writing the same
// number of bytes to a synced file and reading them.
//
//   bazel run -c opt //serializers:serializers_benchmark

#include <benchmark/benchmark.h>
#include <hdf5.h>

#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/random/random.h"
#include "catena/serializers/hdf5.h"
#include "catena/serializers/hdf5_handle.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/safetensors.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

// 25 matrices of 4 MB.
struct Weights {
  Weights() {
    for (int i = 0; i < 25; ++i) {
      arrays.push_back(
          array::random::normal(0, 1, {1000, 1000}, Dtype::kFloat32));
    }
  }
  void serialize(const Serializer& serializer) {
    for (size_t i = 0; i < arrays.size(); ++i) {
      serializer(std::to_string(i), arrays[i]);
    }
  }
  int64_t bytes() const { return 25 * arrays[0].nbytes(); }
  std::vector<Array> arrays;
};

struct Npz {
  static void save(const std::string& file, Weights& weights) {
    save_npz(file, weights, {.compression = false});
  }
  static void load(const std::string& file, Weights& weights) {
    load_npz(file, weights);
  }
};
struct CompressedNpz : Npz {
  static void save(const std::string& file, Weights& weights) {
    save_npz(file, weights);
  }
};
struct Hdf5 {
  static void save(const std::string& file, Weights& weights) {
    save_hdf5(file, weights, {.compression = 0});
  }
  static void load(const std::string& file, Weights& weights) {
    load_hdf5(file, weights);
  }
};
struct CompressedHdf5 : Hdf5 {
  static void save(const std::string& file, Weights& weights) {
    save_hdf5(file, weights);
  }
};
// The files of a format, read by libhdf5.
template <class Format>
struct ByLibhdf5 : Format {
  static void load(const std::string& path, Weights& weights) {
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                          H5Fclose);
    for (size_t i = 0; i < weights.arrays.size(); ++i) {
      const Hdf5Handle dataset(
          H5Dopen2(file.id(), std::to_string(i).c_str(), H5P_DEFAULT),
          H5Dclose);
      H5Dread(dataset.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
              weights.arrays[i].raw_data());
    }
  }
};
struct Safetensors {
  static void save(const std::string& file, Weights& weights) {
    save_safetensors(file, weights);
  }
  static void load(const std::string& file, Weights& weights) {
    load_safetensors(file, weights);
  }
};
// The lower bound: plain file I/O.
struct Bytes {
  static void save(const std::string& file, Weights& weights) {
    array::AtomicFile out(file, "benchmark");
    for (const Array& a : weights.arrays) {
      out.write({a.raw_data(), static_cast<size_t>(a.nbytes())});
    }
    out.commit();
  }
  static void load(const std::string& file, Weights& weights) {
    const auto in = array::ByteSource::open(file, "benchmark", {});
    int64_t offset = 0;
    for (const Array& a : weights.arrays) {
      in.read(offset, {a.raw_data(), static_cast<size_t>(a.nbytes())});
      offset += a.nbytes();
    }
  }
};

template <class Format>
void save(benchmark::State& state) {
  const testing::TempFolder folder;
  Weights weights;
  for (auto _ : state) Format::save(folder.file("weights"), weights);
  state.SetBytesProcessed(state.iterations() * weights.bytes());
}

template <class Format>
void load(benchmark::State& state) {
  const testing::TempFolder folder;
  Weights weights;
  Format::save(folder.file("weights"), weights);
  for (auto _ : state) Format::load(folder.file("weights"), weights);
  state.SetBytesProcessed(state.iterations() * weights.bytes());
}

void few(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(save<Bytes>)->Apply(few);
BENCHMARK(save<Npz>)->Apply(few);
BENCHMARK(save<Safetensors>)->Apply(few);
BENCHMARK(save<Hdf5>)->Apply(few);
BENCHMARK(save<CompressedNpz>)->Apply(few)->Iterations(1);
BENCHMARK(load<Bytes>)->Apply(few);
BENCHMARK(load<Npz>)->Apply(few);
BENCHMARK(load<Safetensors>)->Apply(few);
BENCHMARK(load<Hdf5>)->Apply(few);
BENCHMARK(load<ByLibhdf5<Hdf5>>)->Apply(few);
BENCHMARK(load<CompressedNpz>)->Apply(few)->Iterations(1);
BENCHMARK(load<CompressedHdf5>)->Apply(few)->Iterations(1);
BENCHMARK(load<ByLibhdf5<CompressedHdf5>>)->Apply(few)->Iterations(1);

}  // namespace
}  // namespace catena::serializers
