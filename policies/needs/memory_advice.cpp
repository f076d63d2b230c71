#include "policies/needs/memory_advice.hpp"

#include <algorithm>

namespace aliquot::needs {
namespace {

constexpr Memory kStep = mebibytes(16);  // advice is a round number
constexpr Memory kLeastMargin = mebibytes(32);

Memory rounded_up(Memory memory) { return {(memory.raw + kStep.raw - 1) / kStep.raw * kStep.raw}; }

}  // namespace

std::optional<Memory> memory_to_declare(Memory had, Memory used, Memory least) {
  const Memory margin = std::max(Memory{used.raw / 4}, kLeastMargin);
  const Memory enough = rounded_up(std::max(used + margin, least));
  if (enough.raw < had.raw / 4 * 3) return enough;
  const bool is_tight = (had - used).raw < had.raw / 16;
  return is_tight && enough > had ? std::optional(enough) : std::nullopt;
}

Memory memory_after_running_out(Memory had) { return rounded_up({had.raw + had.raw / 2}); }

std::string mem_option(Memory memory) {
  return "--mem " + std::to_string(memory.raw / mebibytes(1).raw) + "MiB";
}

}  // namespace aliquot::needs
