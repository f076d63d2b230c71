#include "tools/sim/workload/text_source.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "monitor/sha256.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/read_ahead.hpp"

namespace aliquot {

// Reads the file in pieces, unpacked if it is gzip.
class TextSource::Bytes {
 public:
  Bytes(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() {
    ahead_.reset();
    if (unpacking_) inflateEnd(&stream_);
    std::fclose(file_);
  }

  // Appends a piece to `out`; false at the end.
  Result<bool> read(std::string& out) { return ahead_ ? ahead_->read(out) : read_here(out); }

  // From now on a thread of its own reads, if the file is long enough to gain from it.
  void read_ahead() {
    std::error_code unknown;
    const auto length = std::filesystem::file_size(path_, unknown);
    if (unknown || length < kLong) return;
    ahead_ = std::make_unique<ReadAhead>([this](std::string& out) { return read_here(out); });
  }

  [[nodiscard]] Result<bool> bad(const std::string& why) const {
    return fail(ErrorKind::invalid_argument, path_ + ": " + why);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  Sha256& sha256() { return sha256_; }

 private:
  static constexpr std::uintmax_t kLong = std::uintmax_t{1} << 20;

  Result<bool> read_here(std::string& out) {
    if (stream_.avail_in == 0) {
      if (auto more = fill(); !more) return tl::unexpected(more.error());
    }
    if (begins_) {
      begins_ = false;
      // RFC 1952: ID1, ID2.
      if (stream_.avail_in >= 2 && raw_[0] == 0x1f && raw_[1] == 0x8b) {
        if (inflateInit2(&stream_, 15 + 16) != Z_OK) return bad("zlib would not start");
        unpacking_ = in_member_ = true;
      }
    }
    if (!unpacking_) return hand_on(out);
    if (stream_.avail_in == 0) {
      if (!in_member_) return false;
      return bad("the gzip stream is cut off: copy or download the file again");
    }
    return unpack(out);
  }

  Result<bool> fill() {
    const std::size_t count = std::fread(raw_.data(), 1, raw_.size(), file_);
    if (count == 0 && std::ferror(file_) != 0) return bad(std::strerror(errno));
    sha256_.update(raw_.data(), count);
    stream_.next_in = raw_.data();
    stream_.avail_in = static_cast<uInt>(count);
    return true;
  }

  Result<bool> hand_on(std::string& out) {
    const bool some = stream_.avail_in > 0;
    out.append(reinterpret_cast<const char*>(stream_.next_in), stream_.avail_in);
    stream_.avail_in = 0;
    return some;
  }

  Result<bool> unpack(std::string& out) {
    if (!in_member_) {  // RFC 1952, 2.2: a file is a series of members.
      if (inflateReset(&stream_) != Z_OK) return bad("zlib would not start again");
      in_member_ = true;
    }
    stream_.next_out = unpacked_.data();
    stream_.avail_out = static_cast<uInt>(unpacked_.size());
    const int state = inflate(&stream_, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
      const std::string why = stream_.msg == nullptr ? "" : std::string(" (") + stream_.msg + ")";
      return bad("the gzip stream is damaged" + why + ": copy or download the file again");
    }
    if (state == Z_STREAM_END) in_member_ = false;
    const std::size_t count = unpacked_.size() - stream_.avail_out;
    if ((unpacked_bytes_ += count) > kMostUnpacked) {
      return fail(ErrorKind::too_large, path_ + ": unpacks to more than " + std::to_string(kMostUnpacked) +
                                            " bytes: this is no workload");
    }
    out.append(reinterpret_cast<const char*>(unpacked_.data()), count);
    return true;
  }

  std::string path_;
  std::FILE* file_;
  Sha256 sha256_;
  std::array<unsigned char, 1 << 16> raw_{};
  std::array<unsigned char, 1 << 16> unpacked_{};
  z_stream stream_{};
  std::uint64_t unpacked_bytes_ = 0;
  bool begins_ = true;
  bool unpacking_ = false;
  bool in_member_ = false;  // false: between two gzip members
  std::unique_ptr<ReadAhead> ahead_;
};

TextSource::TextSource(std::unique_ptr<Bytes> bytes) : bytes_(std::move(bytes)) {}
TextSource::TextSource(TextSource&&) noexcept = default;
TextSource& TextSource::operator=(TextSource&&) noexcept = default;
TextSource::~TextSource() = default;

Result<TextSource> TextSource::open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return fail(ErrorKind::not_found, path + ": " + std::strerror(errno));
  auto bytes = std::make_unique<Bytes>(path, file);
  bytes->read_ahead();
  return TextSource(std::move(bytes));
}

Result<std::optional<std::string_view>> TextSource::checked(std::size_t start, std::size_t length) {
  ++line_;
  const auto where = [this] { return bytes_->path() + ":" + std::to_string(line_) + ": "; };
  if (length > kLongestLine) {
    return fail(ErrorKind::too_large,
                where() + "the line is longer than " + std::to_string(kLongestLine) + " characters");
  }
  std::string_view line(text_.data() + start, length);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto control = [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; };
  // Checks all bytes without an early exit, so that the compiler can vectorize the loop.
  unsigned char any = 0;
  for (const char c : line) any |= static_cast<unsigned char>(control(c));
  if (any != 0) {
    const auto odd = std::ranges::find_if(line, control);
    return fail(ErrorKind::invalid_argument, where() + "byte " + std::to_string(static_cast<int>(*odd)) +
                                                 " in column " + std::to_string(odd - line.begin() + 1) +
                                                 ": this is not a text file");
  }
  return line;
}

Result<std::optional<std::string_view>> TextSource::next() {
  std::size_t searched = used_;
  for (;;) {
    const std::size_t end = text_.find('\n', searched);
    if (end != std::string::npos) {
      const std::size_t start = std::exchange(used_, end + 1);
      return checked(start, end - start);
    }
    text_.erase(0, used_);
    used_ = 0;
    if (text_.size() > kLongestLine + 1) return checked(0, text_.size());
    searched = text_.size();
    const auto more = bytes_->read(text_);
    if (!more) return tl::unexpected(more.error());
    if (*more) continue;
    if (text_.empty()) return std::optional<std::string_view>();
    used_ = text_.size();
    return checked(0, used_);
  }
}

Result<std::optional<char>> TextSource::first_character() {
  for (;;) {
    std::string_view text(text_);
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // the byte order mark of some editors
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
    const std::size_t found = text.find_first_not_of(" \t\r\n");
    if (found != std::string_view::npos) return text[found];
    if (text.size() > kLongestLine) return ' ';
    const auto more = bytes_->read(text_);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return std::optional<char>();
  }
}

Result<std::string_view> TextSource::next_bytes() {
  while (used_ == text_.size()) {
    text_.clear();
    used_ = 0;
    const auto more = bytes_->read(text_);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
  }
  return std::string_view(text_).substr(std::exchange(used_, text_.size()));
}

std::string TextSource::sha256() { return bytes_->sha256().finish(); }

}  // namespace aliquot
