#include "catena/links/model/published_weights.h"

#include <atomic>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/dataset/dataset_root.h"

namespace catena::links {
namespace {

std::atomic<CaffemodelConverter> caffemodel_converter = nullptr;

std::optional<std::string> first_existing(const std::vector<std::string>& roots,
                                          const std::string& file) {
  for (const std::string& root : roots) {
    std::string path = root + file;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return std::nullopt;
}

}  // namespace

std::string published_weights_file(const PublishedWeights& weights) {
  const std::vector<std::string> roots = dataset::dataset_roots();
  const std::string file = "/pfnet/chainer/models/" + weights.name;
  const auto npz = first_existing(roots, file + ".npz");
  if (npz) return *npz;
  const auto caffemodel = first_existing(roots, file + ".caffemodel");
  if (!caffemodel) {
    raise<IoError>(
        "ImageModel: expected weights saved by Chainer's save_npz in ",
        array::quote_path(roots[0] + file + ".npz"), ", or a .caffemodel there",
        weights.source.empty() ? "" : str(" from ", weights.source),
        ", but neither file exists");
  }
  const CaffemodelConverter convert = caffemodel_converter;
  if (convert == nullptr) {
    raise<IoError>(
        "ImageModel: expected a program that links "
        "@catena//caffe:convert_on_load, to convert the weights ",
        array::quote_path(*caffemodel));
  }
  std::string path =
      std::filesystem::path(*caffemodel).replace_extension(".npz").string();
  convert(weights.name, *caffemodel, path);
  return path;
}

void set_caffemodel_converter(CaffemodelConverter converter) {
  caffemodel_converter = converter;
}

}  // namespace catena::links
