// Numbers the accounts of a workload in order of appearance. Account 0 is "no account".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace aliquot {

class AccountNames {
 public:
  std::uint32_t index_of(const std::string& name) {
    const auto [entry, fresh] = index_.emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.push_back(name);
    return entry->second;
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_{""};
  std::map<std::string, std::uint32_t> index_{{"", 0}};
};

}  // namespace aliquot
