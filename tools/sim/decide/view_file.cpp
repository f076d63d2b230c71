#include "tools/sim/decide/view_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace aliquot {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

}  // namespace

Result<std::string> read_view_text(const std::string& path) {
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return fail(ErrorKind::not_found, path + ": " + std::strerror(errno));
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), count);
    if (text.size() > kMostBytes) {
      return fail(ErrorKind::too_large, path + ": is larger than 1 GiB; is this a view?");
    }
  }
  if (std::ferror(file.get()) != 0) {
    return fail(ErrorKind::invalid_argument, path + ": " + std::strerror(errno));
  }
  return text;
}

}  // namespace aliquot
