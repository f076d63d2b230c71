// Accounts and their limits as JSON, in events and snapshots. Internal to codec_*.cpp and the store's state
// codec.
#pragma once

#include "monitor/codec_fields.hpp"
#include "monitor/record/event.hpp"

namespace aliquot {

template <class A>
void fields(A& a, codec::Of<A, AccountTerms>& v) {
  a("name", v.name);
  a.maybe("parent", v.parent);
  a("shares", v.shares);
  a.maybe("limits", v.limits);
  a.maybe("each_user", v.each_user);
  a.maybe("min_yield", v.min_yield);
  Yield kept_back = kFullYield - v.max_yield;  // left out where there is no limit
  a.maybe("kept_back", kept_back);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(v)>>)
    v.max_yield = kFullYield - kept_back;
  a.maybe("by", v.by);
}
inline void to_json(nlohmann::json& out, const AccountTerms& its) { codec::write_fields(out, its); }
inline void from_json(const nlohmann::json& in, AccountTerms& its) { codec::read_fields(in, its); }

template <class A>
void fields(A& a, codec::Of<A, ServedCoreHours>& v) {
  a("account", v.account);
  a.maybe("uid", v.uid);
  a("core_hours", v.core_hours);
}
inline void to_json(nlohmann::json& out, const ServedCoreHours& its) { codec::write_fields(out, its); }
inline void from_json(const nlohmann::json& in, ServedCoreHours& its) { codec::read_fields(in, its); }

}  // namespace aliquot
