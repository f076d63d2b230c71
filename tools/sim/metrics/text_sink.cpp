#include "tools/sim/metrics/text_sink.hpp"

#include <zlib.h>

namespace aliquot {

struct TextSink::File {
  std::string path;
  gzFile handle = nullptr;
  bool failed = false;

  ~File() {
    if (handle) gzclose(handle);
  }
};

TextSink::TextSink(std::unique_ptr<File> file) : file_(std::move(file)) {}
TextSink::TextSink(TextSink&&) noexcept = default;
TextSink& TextSink::operator=(TextSink&&) noexcept = default;
TextSink::~TextSink() = default;

Result<TextSink> TextSink::create(const std::string& path) {
  auto file = std::make_unique<File>();
  file->path = path;
  file->handle = gzopen(path.c_str(), path.ends_with(".gz") ? "wbe6" : "wbeT");  // T: as it is
  if (!file->handle)
    return fail(ErrorKind::unavailable,
                path + ": cannot be written: check the directory and the space on it");
  (void)gzbuffer(file->handle, 1 << 18);
  return TextSink(std::move(file));
}

void TextSink::write(std::string_view text) {
  if (text.empty() || file_->failed) return;
  const int wrote = gzwrite(file_->handle, text.data(), static_cast<unsigned>(text.size()));
  file_->failed = wrote != static_cast<int>(text.size());
}

Result<void> TextSink::close() {
  const int closed = gzclose(std::exchange(file_->handle, nullptr));
  if (closed == Z_OK && !file_->failed) return {};
  return fail(ErrorKind::unavailable,
              file_->path + ": cannot be written: check the directory and the space on it");
}

}  // namespace aliquot
