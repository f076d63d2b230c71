// What IPSCHED, AUCSCHED and BACKFILL remember: when they last looked at the waiting jobs, for
// explanations, and with `/paper` the size to which the window has been halved.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "policies/draft.hpp"
#include "policies/grammar.hpp"

namespace aliquot {

class WindowState : public PolicyState {
 public:
  explicit WindowState(std::uint32_t window, std::optional<Instant> looked_at = {})
      : window_(window), looked_at_(looked_at) {}
  [[nodiscard]] std::uint32_t window() const { return window_; }

  // After a look at the jobs that wait in the draft, which has placed those that start. Null: none is left,
  // and the window has its usual size.
  [[nodiscard]] static std::shared_ptr<const PolicyState> after_look(const Draft& draft,
                                                                     std::uint32_t window,
                                                                     std::uint32_t usual) {
    bool any_waits = false;
    for (std::size_t i = 0; i < draft.size(); ++i) any_waits = any_waits || draft.candidate(i);
    if (any_waits) return std::make_shared<WindowState>(window, draft.view().now);
    return window < usual ? std::make_shared<WindowState>(window) : nullptr;
  }
  // Has this job been passed over? Others arrived after the last look.
  [[nodiscard]] static bool passed_over(const PolicyMemory& memory, const Job& job) {
    const auto* const state = memory.state_as<WindowState>();
    return state && state->looked_at_ && job.submitted <= *state->looked_at_;
  }

  // "window=20 at=1000000"; without the instant where there was no look yet.
  [[nodiscard]] std::string encode() const override {
    const std::string text = std::string(kWindow) + std::to_string(window_);
    return looked_at_ ? text + std::string(kAt) + std::to_string(looked_at_->raw) : text;
  }
  // Null: it is no such text.
  [[nodiscard]] static std::shared_ptr<const PolicyState> decode(std::string_view text) {
    if (!text.starts_with(kWindow)) return nullptr;
    text.remove_prefix(kWindow.size());
    const std::size_t at = text.find(kAt);
    const auto window = whole_number(text.substr(0, at), 1, UINT32_MAX);
    if (!window) return nullptr;
    std::optional<Instant> looked_at;
    if (at != std::string_view::npos) {
      const auto micro = whole_number(text.substr(at + kAt.size()), 0, INT64_MAX);
      if (!micro) return nullptr;
      looked_at = Instant{*micro};
    }
    return std::make_shared<WindowState>(static_cast<std::uint32_t>(*window), looked_at);
  }

 private:
  static constexpr std::string_view kWindow = "window=";
  static constexpr std::string_view kAt = " at=";
  std::uint32_t window_;
  std::optional<Instant> looked_at_;
};

}  // namespace aliquot
