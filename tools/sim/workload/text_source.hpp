// Reads a text file line by line, plain or gzip (recognized by the content). Memory does not grow with the
// file. Every byte of the file goes into a SHA-256, for provenance.
//
// Errors: a file that cannot be read, a damaged or truncated gzip stream, a line that is too long, bytes
// that are not text. Each names the file and, if there is one, the line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

class TextSource {
 public:
  static constexpr std::size_t kLongestLine = 1 << 16;

  [[nodiscard]] static Result<TextSource> open(const std::string& path);
  TextSource(TextSource&&) noexcept;
  TextSource& operator=(TextSource&&) noexcept;
  ~TextSource();

  // The next line without its end ("\n" or "\r\n"), valid until the next call; none at the end.
  [[nodiscard]] Result<std::optional<std::string_view>> next();
  // Peeks at the first character that is not blank, before the first line is taken. A blank if none follows
  // within the first piece; none in an empty file.
  [[nodiscard]] Result<std::optional<char>> first_character();
  // Instead of next(): the next bytes of the file, valid until the next call; empty at the end.
  [[nodiscard]] Result<std::string_view> next_bytes();
  // The number of the line last returned, from 1.
  [[nodiscard]] std::uint64_t line() const { return line_; }
  // Of the file as stored on disk; valid once the end was reached.
  [[nodiscard]] std::string sha256();

 private:
  class Bytes;
  explicit TextSource(std::unique_ptr<Bytes> bytes);
  [[nodiscard]] Result<std::optional<std::string_view>> checked(std::size_t start, std::size_t length);

  std::unique_ptr<Bytes> bytes_;
  std::string text_;      // read, and not yet returned
  std::size_t used_ = 0;  // of text_
  std::uint64_t line_ = 0;
};

}  // namespace aliquot
