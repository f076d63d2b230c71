// How far something is that takes long, on one line of a terminal: "packing 1.2G of 3.5G". Where standard
// error is no terminal nothing is said.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "policies/model/units.hpp"

namespace aliquot::ctl {

class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // the line is empty again

  [[nodiscard]] bool is_shown() const { return shown_; }
  void tell(Memory done, Memory of);

 private:
  std::string what_;
  bool shown_;
  std::size_t width_ = 0;  // of the line
  std::optional<std::chrono::steady_clock::time_point> last_;
};

}  // namespace aliquot::ctl
