#include "catena/caffe/mean_file.h"

#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/npy.h"
#include "catena/caffe/net_definition.h"
#include "catena/caffe/net_messages.h"

namespace catena::caffe {
namespace {

Array read_binaryproto(const std::string& path, const LoadLimits& limits) {
  const auto source = array::ByteSource::open(path, "read_mean_file", limits);
  try {
    const BlobDefinition blob = define_blob(read_blob(source), limits);
    return blob.values(blob.shape);
  } catch (const ValueError& error) {
    raise<IoError>(source.where(), ": ", error.what());
  }
}

}  // namespace

Array read_mean_file(const std::string& path, const LoadLimits& limits) try {
  Array mean = path.ends_with(".npy")
                   ? array::load_npy(path, limits).astype(Dtype::kFloat32)
                   : read_binaryproto(path, limits);
  if (mean.ndim() == 1) mean = mean.reshape({-1, 1, 1});
  if (mean.ndim() == 4 && mean.shape()[0] == 1) mean = mean[0];
  if (mean.ndim() != 3) {
    raise<IoError>("read_mean_file: '", path,
                   "': expected one image of shape (C, h, w), got ",
                   mean.shape());
  }
  return mean;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_mean_file");
}

}  // namespace catena::caffe
