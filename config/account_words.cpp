#include "config/account_words.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "config/quantities.hpp"

namespace aliquot {
namespace {

constexpr const char* kExpects =
    "NAME [parent=NAME] [shares=N] [min_yield=0.5] [max_yield=0.8] and limits: jobs=N tasks=N cpu=CORES "
    "memory=SIZE devices=N "
    "core_hours=N, and user.jobs=N and so on of each user (lab parent=physics shares=2 jobs=40 "
    "user.cpu=16)";
constexpr std::string_view kOfUser = "user.";

bool is_account(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.+:@/").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kLongestAccount && std::ranges::all_of(text, plain);
}

std::optional<LimitKind> kind_of(std::string_view word) {
  const auto found = std::ranges::find(kLimitNames, word);
  if (found == kLimitNames.end()) return std::nullopt;
  return static_cast<LimitKind>(found - kLimitNames.begin());
}

tl::unexpected<Error> wrong(const std::string& text, const std::string& why) {
  return fail(ErrorKind::invalid_argument, quote(text.substr(0, 200)) + ": " + why + "; write " + kExpects);
}

// One word after the name: "shares=3". The error says what is wrong with it.
Result<void> take(const std::string& word, AccountTerms& account) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return fail(ErrorKind::invalid_argument, quote(word) + " has no value");
  const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "parent") {
    if (!is_account(value))
      return fail(ErrorKind::invalid_argument, quote(value) + " is no account's name");
    account.parent = value;
    return {};
  }
  if (key == "shares") {
    const auto shares = count_between(1, kMostSharesOfAccount).parse(value);
    if (!shares) return tl::unexpected<Error>(shares.error());
    account.shares = static_cast<std::uint32_t>(*shares);
    return {};
  }
  if (key == "min_yield" || key == "max_yield") {
    const auto yield = parse_ratio(value);
    if (!yield) return tl::unexpected<Error>(yield.error());
    (key == "min_yield" ? account.min_yield : account.max_yield) = {*yield};
    return {};
  }
  const bool of_user = key.starts_with(kOfUser);
  const auto kind = kind_of(of_user ? std::string_view(key).substr(kOfUser.size()) : std::string_view(key));
  if (!kind) return fail(ErrorKind::invalid_argument, quote(key) + " is no limit");
  const auto most = parse_limit(*kind, value);
  if (!most) return tl::unexpected<Error>(most.error());
  (of_user ? account.each_user : account.limits)[*kind] = *most;
  return {};
}

Result<AccountTerms> parse_account(const std::string& text) {
  std::istringstream words(text);
  AccountTerms account;
  words >> account.name;
  if (!is_account(account.name)) return wrong(text, "it begins with no account's name");
  std::set<std::string> seen;
  for (std::string word; words >> word;) {
    if (!seen.insert(word.substr(0, word.find('='))).second)
      return wrong(text, quote(word) + " comes twice");
    if (const auto taken = take(word, account); !taken) return wrong(text, taken.error().message);
  }
  return account;
}

std::string print_account(const AccountTerms& account) {
  std::string text = account.name;
  if (!account.parent.empty()) text += " parent=" + account.parent;
  if (account.shares != 1) text += " shares=" + std::to_string(account.shares);
  if (account.min_yield.raw > 0) text += " min_yield=" + print_ratio(account.min_yield.raw);
  if (account.max_yield < kFullYield) text += " max_yield=" + print_ratio(account.max_yield.raw);
  const auto add = [&](const std::string& before, const AccountLimits& limits) {
    for (const auto& [kind, most] : limits)
      text += " " + before + std::string(limit_name(kind)) + "=" + print_limit(kind, most);
  };
  add("", account.limits);
  add(std::string(kOfUser), account.each_user);
  return text;
}

}  // namespace

Form<AccountTerms> account_terms() {
  return {kExpects, R"("type": "string", "pattern": "^[A-Za-z0-9_.+:@/-]{1,64}( [a-z_.]+=[^ ]+)*$")",
          parse_account, print_account};
}

Result<std::int64_t> parse_limit(LimitKind kind, const std::string& text) {
  const auto amount = [&]() -> Result<std::int64_t> {
    if (kind == LimitKind::cpu) return parse_cores(text).map([](Cpu cpu) { return cpu.raw; });
    if (kind == LimitKind::memory) return parse_memory(text).map([](Memory memory) { return memory.raw; });
    return parse_count(text);
  }();
  if (amount && *amount > kMostOfLimit)
    return fail(ErrorKind::invalid_argument, quote(text) + " is more than any cluster has");
  return amount;
}

std::string print_limit(LimitKind kind, std::int64_t most) {
  if (kind == LimitKind::cpu) return print_cores(Cpu{most});
  if (kind == LimitKind::memory) return print_memory(Memory{most});
  return std::to_string(most);
}

}  // namespace aliquot
