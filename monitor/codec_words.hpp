// The names of the values of each enum, one table for each enum: used by the codec, the labels of metrics,
// the protocol and all messages, so that each value has one name everywhere.
//
// The names of events are in codec_event.hpp: they belong to the alternatives of a variant.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "monitor/record/action.hpp"
#include "monitor/record/event.hpp"
#include "monitor/record/plan_check.hpp"
#include "monitor/record/step.hpp"
#include "policies/model/account_terms.hpp"
#include "policies/model/error.hpp"
#include "policies/model/plan.hpp"

namespace aliquot {

// All words of E, in the order of its values.
template <class E>
std::span<const std::string_view> words();
template <>
std::span<const std::string_view> words<ActionKind>();
template <>
std::span<const std::string_view> words<AfterDeadline>();
template <>
std::span<const std::string_view> words<DrainMode>();
template <>
std::span<const std::string_view> words<DrainProgress>();
template <>
std::span<const std::string_view> words<ErrorKind>();
template <>
std::span<const std::string_view> words<ForeignAct>();
template <>
std::span<const std::string_view> words<HypervisorKind>();
template <>
std::span<const std::string_view> words<JobResult>();
template <>
std::span<const std::string_view> words<Law>();
template <>
std::span<const std::string_view> words<LimitKind>();
template <>
std::span<const std::string_view> words<Mode>();
template <>
std::span<const std::string_view> words<needs::NeedMode>();
template <>
std::span<const std::string_view> words<NodePower>();
template <>
std::span<const std::string_view> words<NodeService>();
template <>
std::span<const std::string_view> words<NodeState>();
template <>
std::span<const std::string_view> words<Awaited>();
template <>
std::span<const std::string_view> words<OnTaskFailure>();
template <>
std::span<const std::string_view> words<Phase>();
template <>
std::span<const std::string_view> words<Reason>();
template <>
std::span<const std::string_view> words<Turn>();
template <>
std::span<const std::string_view> words<VmFact>();
template <>
std::span<const std::string_view> words<WindowStage>();

// "?" for a value that the enum does not have.
template <class E>
requires std::is_enum_v<E>
[[nodiscard]] std::string_view word(E value) {
  const auto all = words<E>();
  const auto index = static_cast<std::size_t>(value);
  return index < all.size() ? all[index] : "?";
}

template <class E>
[[nodiscard]] std::optional<E> from_word(std::string_view text) {
  const auto all = words<E>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace aliquot
