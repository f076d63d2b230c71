// A map from jobs to values while a decision changes it: by entry of the draft, so that each change takes
// constant time however many jobs there are. Jobs that have left the view are left out.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "policies/draft.hpp"
#include "policies/model/flat_map.hpp"

namespace aliquot {

template <class T>
class ByEntry {
 public:
  // Both the draft and the map are in increasing ids.
  ByEntry(const Draft& draft, const FlatMap<JobId, T>& values) : values_(draft.size()) {
    std::size_t i = 0;
    for (const auto& [job, value] : values) {
      while (i < draft.size() && draft.id(i) < job) ++i;
      if (i < draft.size() && draft.id(i) == job) values_[i] = value;
    }
  }

  [[nodiscard]] std::optional<T>& operator[](std::size_t i) { return values_[i]; }
  [[nodiscard]] const std::optional<T>& operator[](std::size_t i) const { return values_[i]; }

  [[nodiscard]] bool empty() const {
    return std::ranges::none_of(values_, [](const auto& value) { return value.has_value(); });
  }
  [[nodiscard]] FlatMap<JobId, T> by_job(const Draft& draft) const {
    FlatMap<JobId, T> values;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i]) values.append(draft.id(i), *values_[i]);
    return values;
  }

 private:
  std::vector<std::optional<T>> values_;
};

}  // namespace aliquot
