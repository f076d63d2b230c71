// What IPSCHED/paper and AUCSCHED/paper remember: the size to which the window has been halved.
#pragma once

#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>

#include "policies/model/policy_state.hpp"

namespace aliquot {

class WindowState : public PolicyState {
 public:
  explicit WindowState(std::uint32_t window) : window_(window) {}
  [[nodiscard]] std::uint32_t window() const { return window_; }

  [[nodiscard]] std::string encode() const override { return std::string(kKey) + std::to_string(window_); }
  // Null: it is no such text.
  [[nodiscard]] static std::shared_ptr<const PolicyState> decode(std::string_view text) {
    if (!text.starts_with(kKey)) return nullptr;
    std::uint32_t window = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + kKey.size(), last, window);
    if (error != std::errc() || end != last || window == 0) return nullptr;
    return std::make_shared<WindowState>(window);
  }

 private:
  static constexpr std::string_view kKey = "window=";
  std::uint32_t window_;
};

}  // namespace aliquot
