// Mutates a text by seed: bytes, numbers, words, lines and sections are changed, doubled, cut off, or
// replaced by inputs that are hard for parsers. The same seed gives the same texts.
#pragma once

#include <cstdint>
#include <string>

namespace aliquot::fuzz {

class Mutator {
 public:
  static constexpr std::size_t kLongest = 1 << 18;

  explicit Mutator(std::uint64_t seed) : state_(seed) {}
  // Below `bound`, which is not 0.
  std::uint64_t below(std::uint64_t bound);
  // One to five changes; `other` is a text from which a section may be copied.
  std::string mutate(std::string text, const std::string& other);

 private:
  void change(std::string& text, const std::string& other);
  void change_number(std::string& text);
  void repeat(std::string& text);
  void move_line(std::string& text);
  std::uint64_t state_;
};

}  // namespace aliquot::fuzz
