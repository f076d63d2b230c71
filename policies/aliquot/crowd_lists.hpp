// Who has tasks on the crowded nodes: those whose tasks need more than they have.
//
// Nodes of one capacity with the same tasks are one crowd, and worked out once: wide jobs make many such
// nodes. Every share is looked at once; a hash finds the lists that are equal.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

// Tasks of a job on a node.
struct Claim {
  std::uint32_t entry;
  std::uint32_t units;
  friend bool operator==(const Claim&, const Claim&) = default;
};

struct CrowdLists {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct List {
    std::uint32_t first;  // of its claims, which are in the order of the entries
    std::uint32_t last;
    std::uint32_t node;  // the first that is so
  };
  explicit CrowdLists(const Draft& draft);

  [[nodiscard]] std::span<const Claim> of(const List& list) const {
    return {claims.data() + list.first, list.last - list.first};
  }

  std::pmr::vector<List> lists;  // in the order of their first nodes
  std::pmr::vector<Claim> claims;
  std::pmr::vector<std::uint32_t> at;  // by node: the number of its list, or kNone; empty if there is none

 private:
  struct Crowded {
    std::uint32_t node;
    std::uint32_t first;  // of its claims
    std::uint32_t end;    // where its next claim is written, until all are
    std::uint64_t hash;   // of its capacity, and besides of each of its claims
  };
  void unite(const Draft& draft, std::span<const Crowded> crowded);
};

}  // namespace aliquot
