// What an account is entitled to, the limits of it and of its users, and what its jobs get of the CPU that
// they declare: one entry of the setting `accounts`, or what an operator has set in its place.
//
// Accounts form a tree. The limit of an account bounds the sum over it and all accounts below it; its
// reservation and its limit of yields hold for each job in it and below it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/job.hpp"

namespace aliquot {

// What is limited, each in a unit of its own.
enum class LimitKind : std::uint8_t {
  jobs,
  tasks,
  cpu,         // needs of the tasks, in micro-cores
  memory,      // of the tasks, the overhead of their VMs included, in bytes
  devices,     // parts of them count as whole ones
  core_hours,  // granted, as the decayed use of fair share has it
};
inline constexpr std::size_t kLimitKinds = 6;
inline constexpr std::array<std::string_view, kLimitKinds> kLimitNames{"jobs",   "tasks",   "cpu",
                                                                       "memory", "devices", "core_hours"};
[[nodiscard]] constexpr std::string_view limit_name(LimitKind kind) {
  return kLimitNames.at(static_cast<std::size_t>(kind));
}

[[nodiscard]] constexpr std::array<LimitKind, kLimitKinds> all_limit_kinds() {
  return {LimitKind::jobs,   LimitKind::tasks,   LimitKind::cpu,
          LimitKind::memory, LimitKind::devices, LimitKind::core_hours};
}

using AccountLimits =
    std::map<LimitKind, std::int64_t>;  // the most of each; what is not named is not limited

struct AccountTerms {
  std::string name;
  std::string parent{};  // empty: it stands at the top
  std::uint32_t shares = 1;
  AccountLimits limits{};             // of the account with all below it
  AccountLimits each_user{};          // of each user, in the account and in all below it
  std::optional<std::uint32_t> by{};  // the uid of the operator that set it; none: the configuration
  Yield min_yield{};                  // reservation: a job that runs has at least this part of its need
  Yield max_yield = kFullYield;       // limit: a job has at most this part of its need
  friend bool operator==(const AccountTerms&, const AccountTerms&) = default;
};

inline constexpr std::size_t kLongestAccount = 64;
inline constexpr std::size_t kMostAccountTerms = 1000;
inline constexpr std::uint32_t kMostSharesOfAccount = 1'000'000;
inline constexpr std::int64_t kMostOfLimit = std::int64_t{1} << 53;  // exact also as a double
inline constexpr Yield kLeastMaxYield{kMillion / 100};

// Why these accounts are no tree: a name twice, a parent that is not named, or that is below its own child;
// shares, a limit or a yield out of bounds; a reservation above a limit of yields. Empty: they are one.
[[nodiscard]] std::string fault_of(const std::vector<AccountTerms>& accounts);

// How much of each kind: what is used, or asked for.
class Amounts {
 public:
  [[nodiscard]] std::int64_t of(LimitKind kind) const { return each_.at(static_cast<std::size_t>(kind)); }
  std::int64_t& of(LimitKind kind) { return each_.at(static_cast<std::size_t>(kind)); }
  Amounts& operator+=(const Amounts& more) {
    for (std::size_t k = 0; k < kLimitKinds; ++k) each_[k] += more.each_[k];
    return *this;
  }
  Amounts& operator-=(const Amounts& less) {
    for (std::size_t k = 0; k < kLimitKinds; ++k) each_[k] -= less.each_[k];
    return *this;
  }
  friend bool operator==(const Amounts&, const Amounts&) = default;

 private:
  std::array<std::int64_t, kLimitKinds> each_{};
};

// What a job of so many tasks counts with. Its devices are those of the most nodes that it may stand on.
[[nodiscard]] Amounts amounts_of(const Demand& demand, std::uint32_t tasks);

}  // namespace aliquot
