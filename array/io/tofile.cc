#include "catena/array/io/tofile.h"

#include <memory>
#include <new>
#include <string>

#include "absl/strings/str_format.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/printing/printing.h"

namespace catena::array {
namespace {

class ElementFormat {
 public:
  explicit ElementFormat(const std::string& format)
      : text_(Text::New(format)),
        integral_(Integral::New(format)),
        floating_(Floating::New(format)) {
    if (!text_ && !integral_ && !floating_) {
      raise<ValueError>(
          "tofile: expected a format with one conversion of text, an integer "
          "or a float, such as '%.3f', got '",
          format, "'");
    }
  }

  std::string operator()(const Array& element) const {
    if (text_) return absl::StrFormat(*text_, array_str(element));
    const Scalar value = element.item_as_scalar();
    if (floating_) return absl::StrFormat(*floating_, value.as<double>());
    return value.kind() == DtypeKind::kUInt
               ? absl::StrFormat(*integral_, value.as<uint64_t>())
               : absl::StrFormat(*integral_, value.as<int64_t>());
  }

 private:
  using Text = absl::ParsedFormat<absl::FormatConversionCharSet::kString>;
  using Integral = absl::ParsedFormat<absl::FormatConversionCharSet::kIntegral>;
  using Floating = absl::ParsedFormat<absl::FormatConversionCharSet::kFloating>;

  std::unique_ptr<Text> text_;
  std::unique_ptr<Integral> integral_;
  std::unique_ptr<Floating> floating_;
};

std::string joined(const Array& host, const std::string& sep,
                   const ElementFormat& format) {
  const Array values =
      is_floating(host.dtype()) ? host.astype(Dtype::kFloat64) : host;
  std::string text;
  const char* before = "";
  for (const Array& element : values.ravel()) {
    text += before;
    text += format(element);
    before = sep.c_str();
  }
  return text;
}

}  // namespace

void tofile(const Array& a, const std::string& path,
            const TofileOptions& options) try {
  const ElementFormat format(options.format);
  const Array host = a.contiguous().to_device(native_device());
  AtomicFile file(path, "tofile");
  if (options.sep.empty()) {
    file.write({host.raw_data(), static_cast<size_t>(host.nbytes())});
  } else {
    file.write(joined(host, options.sep, format));
  }
  file.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("tofile");
}

}  // namespace catena::array
