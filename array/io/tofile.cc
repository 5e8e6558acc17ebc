#include "catena/array/io/tofile.h"

#include "catena/array/io/atomic_file.h"
#include "catena/array/printing/printing.h"

namespace catena::array {
namespace {

std::string joined(const Array& host, const std::string& sep) {
  const Array values =
      is_floating(host.dtype()) ? host.astype(Dtype::kFloat64) : host;
  std::string text;
  for (const Array& element : values.ravel()) {
    if (!text.empty()) text += sep;
    text += array_str(element);
  }
  return text;
}

}  // namespace

void tofile(const Array& a, const std::string& path,
            const TofileOptions& options) {
  const Array host = a.contiguous().to_device(native_device());
  AtomicFile file(path, "tofile");
  if (options.sep.empty()) {
    file.write({host.raw_data(), static_cast<size_t>(host.nbytes())});
  } else {
    file.write(joined(host, options.sep));
  }
  file.commit();
}

}  // namespace catena::array
