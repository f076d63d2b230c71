// The columns of a workload that the simulation does not use ("profile"), or not as they are written
// ("user"), kept for writing the workload in another format: by column, a text for each job that has one. A
// workload without such columns pays nothing.
//
// "id" and "profile" are Batsim's name of a job and of its profile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "policies/model/id.hpp"

namespace aliquot {

class ExtraColumns {
 public:
  using Column = std::unordered_map<std::uint64_t, std::string>;  // by job

  // Ignores an empty text.
  void add(JobId job, std::string_view column, std::string text) {
    if (text.empty()) return;
    auto found = columns_.find(column);
    if (found == columns_.end()) found = columns_.emplace(column, Column{}).first;
    found->second.insert_or_assign(job.raw, std::move(text));
  }
  // Empty if the job has no text there.
  [[nodiscard]] const std::string& of(JobId job, std::string_view column) const {
    static const std::string none;
    const auto found = columns_.find(column);
    if (found == columns_.end()) return none;
    const auto text = found->second.find(job.raw);
    return text == found->second.end() ? none : text->second;
  }
  // The columns in which at least one job has a text.
  [[nodiscard]] const std::map<std::string, Column, std::less<>>& columns() const { return columns_; }

 private:
  std::map<std::string, Column, std::less<>> columns_;
};

}  // namespace aliquot
