// The findings of a verification: a sentence each, at most a hundred.
#pragma once

#include <string>
#include <vector>

namespace aliquot {

class Findings {
 public:
  static constexpr std::size_t kMost = 100;

  void add(std::string what) {
    if (all_.size() < kMost) all_.push_back(std::move(what));
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

}  // namespace aliquot
