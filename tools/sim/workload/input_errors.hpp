// The errors in the lines of an input file, each with its line number. The first ten are shown, the others
// counted.
#pragma once

#include <cstdint>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

class InputErrors {
 public:
  explicit InputErrors(std::string path) : path_(std::move(path)) {}

  void add(std::uint64_t line, const std::string& what) {
    if (++count_ > kShown) return;
    text_ += (count_ == 1 ? "" : "\n") + path_ + ":" + std::to_string(line) + ": " + what;
  }
  [[nodiscard]] bool any() const { return count_ > 0; }
  // All of them in one message: a file with a malformed line is refused as a whole.
  [[nodiscard]] tl::unexpected<Error> failure() const {
    const std::string more =
        count_ > kShown ? "\n" + path_ + ": and " + std::to_string(count_ - kShown) + " more" : "";
    return fail(ErrorKind::invalid_argument, text_ + more);
  }

 private:
  static constexpr std::uint64_t kShown = 10;
  std::string path_;
  std::string text_;
  std::uint64_t count_ = 0;
};

}  // namespace aliquot
