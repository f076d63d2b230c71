#include "tools/ctl/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"

namespace aliquot::ctl {
namespace {

constexpr std::chrono::milliseconds kBetween{100};

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)), shown_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (width_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
}

void Progress::tell(Memory done, Memory of) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || (last_ && now - *last_ < kBetween && done < of)) return;
  last_ = now;
  const std::string line = what_ + " " + short_bytes(done.raw) + " of " + short_bytes(of.raw);
  width_ = std::max(width_, line.size());
  std::fprintf(stderr, "\r%-*s", static_cast<int>(width_), line.c_str());
  std::fflush(stderr);
}

}  // namespace aliquot::ctl
