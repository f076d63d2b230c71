// What a policy remembers in a cluster of several hypervisor kinds: a state of its own for each kind, and
// to which kind each job is offered that may be started on any. See by_kind.hpp.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "policies/model/flat_map.hpp"
#include "policies/model/hypervisor_kind.hpp"
#include "policies/model/policy_state.hpp"

namespace aliquot {

class PolicyRegistry;

// One value for each hypervisor kind.
template <class T>
class PerKind {
 public:
  [[nodiscard]] T& operator[](HypervisorKind kind) { return values_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const T& operator[](HypervisorKind kind) const {
    return values_[static_cast<std::size_t>(kind)];
  }

 private:
  std::array<T, std::size(kHypervisorKinds)> values_{};
};

class KindsState : public PolicyState {
 public:
  using Part = std::shared_ptr<const PolicyState>;
  using Offers = FlatMap<JobId, HypervisorKind>;
  KindsState(PerKind<Part> parts, Offers offers) : parts_(std::move(parts)), offers_(std::move(offers)) {}

  [[nodiscard]] const Part& part(HypervisorKind kind) const { return parts_[kind]; }
  [[nodiscard]] const Offers& offers() const { return offers_; }

  // "kinds LENGTH LENGTH JOB=KIND,JOB=KIND " and the text of each kind's state, of these lengths.
  [[nodiscard]] std::string encode() const override;
  // Null: it is no such text.
  [[nodiscard]] static Part decode(std::string_view text, const PolicyRegistry& registry);

 private:
  PerKind<Part> parts_;
  Offers offers_;
};

}  // namespace aliquot
