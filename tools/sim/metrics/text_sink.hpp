// A text file that is written bit by bit, gzip if its name ends in .gz. The same text gives the same bytes.
//
// Errors are kept until close(): a disk that is full is said once.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

class TextSink {
 public:
  [[nodiscard]] static Result<TextSink> create(const std::string& path);
  TextSink(TextSink&&) noexcept;
  TextSink& operator=(TextSink&&) noexcept;
  ~TextSink();

  void write(std::string_view text);
  // Nothing may be written after it.
  [[nodiscard]] Result<void> close();

 private:
  struct File;
  explicit TextSink(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace aliquot
