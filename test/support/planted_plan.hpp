// A bad plan planted for the checker: what is wrong with it, and the law that must refuse it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include "monitor/record/plan_check.hpp"

namespace aliquot::test {

inline Plan plan(std::vector<Change> changes) {
  Plan made;
  made.changes = std::move(changes);
  return made;
}

struct Planted {
  const char* what;
  Plan plan;
  Law law;
};

inline void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.what; }

// Among what the checker finds is the law that was broken, and every finding has its text.
inline void expect_refused(const ClusterView& view, const Planted& planted) {
  const std::vector<Violation> found = check_plan(view, planted.plan);
  const auto is_it = [&](const Violation& v) { return v.law == planted.law; };
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), is_it)) << "not refused as " << name(planted.law);
  for (const Violation& violation : found) EXPECT_FALSE(violation.text.empty());
}

}  // namespace aliquot::test
