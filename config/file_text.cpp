#include "config/file_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aliquot {
namespace {

tl::unexpected<Fault> no_file(const std::string& path, std::string text) {
  return tl::unexpected(Fault{path, {}, "", std::move(text)});
}

std::string reason(int error) {
  if (error == ENOENT) return "there is no such file; check the path";
  if (error == EACCES) return "permission denied; make it readable for the user that runs this";
  return std::string("cannot be read: ") + std::strerror(error) + "; check the path";
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

// How many bytes the UTF-8 character at the front of `text` has; 0: it is none (or a surrogate, or
// overlong).
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
  }
  const unsigned second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
  return size;
}

}  // namespace

tl::expected<std::string, Fault> read_file_text(const std::string& path, std::size_t limit) {
  if (path.find('\0') != std::string::npos) return no_file("?", "the path holds a NUL byte; check it");
  // Non-blocking, so that opening a pipe without a writer does not hang.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return no_file(path, reason(errno));
  struct stat status {};
  if (fstat(file.fd, &status) != 0) return no_file(path, reason(errno));
  if (S_ISDIR(status.st_mode)) return no_file(path, "is a directory; name a file in it");
  if (!S_ISREG(status.st_mode)) return no_file(path, "is not a regular file; copy what it says into one");
  const auto too_large = [&] {
    return no_file(path, "is larger than " + std::to_string(limit >> 10) +
                             " KiB, which no configuration needs; is this the right file?");
  };
  if (status.st_size > static_cast<off_t>(limit)) return too_large();
  std::string text(limit + 1, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = read(file.fd, text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return no_file(path, reason(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  if (filled > limit) return too_large();
  text.resize(filled);
  return text;
}

tl::expected<void, Fault> check_text(std::string_view text, const std::string& file) {
  Place place{1, 1};
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const bool line_end = byte == '\n' || text.starts_with("\r\n");
    const bool control = (byte < 0x20 && byte != '\t' && !line_end) || byte == 0x7F;
    if (size == 0 || control) {
      constexpr char hex[] = "0123456789abcdef";
      const std::string shown = std::string("0x") + hex[byte / 16] + hex[byte % 16];
      return tl::unexpected(Fault{file, place, "",
                                  control ? "the control character " + shown + " is no text; remove it"
                                          : "the byte " + shown + " is not UTF-8; save the file as UTF-8"});
    }
    ++place.column;
    if (byte == '\n') place = {place.line + 1, 1};
    text.remove_prefix(size);
  }
  return {};
}

}  // namespace aliquot
