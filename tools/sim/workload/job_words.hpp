// What jobs say beyond what is simulated: by column ("user", "gpus"), a text for each job that has one.
//
// "id" and "profile" are what Batsim calls a job and what it runs. A workload of plain jobs has none, and
// pays nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "policies/model/id.hpp"

namespace aliquot {

class JobWords {
 public:
  using Column = std::unordered_map<std::uint64_t, std::string>;  // by job

  // An empty text is none.
  void add(JobId job, std::string_view column, std::string text) {
    if (text.empty()) return;
    auto found = columns_.find(column);
    if (found == columns_.end()) found = columns_.emplace(column, Column{}).first;
    found->second.insert_or_assign(job.raw, std::move(text));
  }
  // Empty if the job says nothing there.
  [[nodiscard]] const std::string& of(JobId job, std::string_view column) const {
    static const std::string none;
    const auto found = columns_.find(column);
    if (found == columns_.end()) return none;
    const auto text = found->second.find(job.raw);
    return text == found->second.end() ? none : text->second;
  }
  // Only those in which some job says something.
  [[nodiscard]] const std::map<std::string, Column, std::less<>>& columns() const { return columns_; }

 private:
  std::map<std::string, Column, std::less<>> columns_;
};

}  // namespace aliquot
