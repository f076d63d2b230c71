#include "manager/api/answers/use_advice.hpp"

#include <algorithm>

#include "config/quantities.hpp"

namespace aliquot {
namespace {

// Less is told by chance, or by the start of a program.
constexpr Duration kEnough = seconds(60);
constexpr std::int64_t kLittle = kMillion / 2;  // of what was granted, in parts per million
constexpr std::int64_t kMargin = 4;             // a quarter
constexpr Cpu kStep{50'000};

}  // namespace

std::optional<std::string> cpu_advice(const Submission& job, const JobUse& use) {
  const auto used = use.used();
  const bool is_learned = job.need_mode.value_or(needs::NeedMode::declared) != needs::NeedMode::declared;
  if (!used || is_learned || use.granted < kEnough) return std::nullopt;
  // What other programs of a node took, the job would have used, too.
  const Duration wanted = used->cpu + used->stolen().value_or(Duration{});
  const std::int64_t part = multiply_divide(wanted.raw, kMillion, use.granted.raw);
  if (part >= kLittle) return std::nullopt;
  const std::int64_t needs = multiply_divide(job.demand.need.raw, part, kMillion);
  const Cpu enough{(needs + needs / kMargin) / kStep.raw * kStep.raw + kStep.raw};
  if (enough >= job.demand.need) return std::nullopt;
  return "its tasks used " + std::to_string((part * 100 + kMillion / 2) / kMillion) +
         " % of the CPU that they were granted: --cpus " + print_cores(enough) +
         " is enough, or --needs learned, which finds out while it runs";
}

}  // namespace aliquot
