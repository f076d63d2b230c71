// Makes a text worse, by seed: bytes, numbers, words, lines and whole stretches of it are changed, doubled,
// cut off, or replaced by what parsers fear. The same seed, the same texts.
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
  // One to five changes; `other` is a text from which a stretch may be taken.
  std::string mutate(std::string text, const std::string& other);

 private:
  void change(std::string& text, const std::string& other);
  void change_number(std::string& text);
  void repeat(std::string& text);
  void move_line(std::string& text);
  std::uint64_t state_;
};

}  // namespace aliquot::fuzz
