// The members of an aggregate as a tuple of references, for tests that must not forget one: a field added
// to the model is filled, encoded and compared at once, or the test fails.
//
// For plain aggregates of up to 29 members; those with bases (actions) are taken apart by their own
// overload of `members`.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "monitor/record/action.hpp"
#include "policies/model/view.hpp"

namespace aliquot::test {

// Converts to any member, so that T{Anything, Anything} compiles exactly if T has two members or more.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT: implicit on purpose
};

template <class T, std::size_t... index>
constexpr bool takes(std::index_sequence<index...>) {
  return requires { T{(static_cast<void>(index), Anything{})...}; };
}
template <class T, std::size_t n = 30>
constexpr std::size_t member_count() {
  if constexpr (n == 0) {
    return 0;
  } else if constexpr (takes<T>(std::make_index_sequence<n>{})) {
    return n;
  } else {
    return member_count<T, n - 1>();
  }
}

template <class T>
constexpr auto more_members(T& value) {
  constexpr std::size_t n = member_count<std::remove_const_t<T>>();
  if constexpr (n == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (n == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o);
  } else if constexpr (n == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p);
  } else if constexpr (n == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q);
  } else if constexpr (n == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r);
  } else if constexpr (n == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s);
  } else if constexpr (n == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t);
  } else if constexpr (n == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u);
  } else if constexpr (n == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v);
  } else if constexpr (n == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w);
  } else if constexpr (n == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x);
  } else if constexpr (n == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y);
  } else if constexpr (n == 25) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z);
  } else if constexpr (n == 26) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, a1] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, a1);
  } else if constexpr (n == 27) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1);
  } else if constexpr (n == 28) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1, c1] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1, c1);
  } else if constexpr (n == 29) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1, c1, d1] =
        value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1, c1,
                    d1);
  } else {
    static_assert(n == 0, "give this aggregate its own overload, or add a case");
  }
}

template <class T>
constexpr auto members(T& value) {
  constexpr std::size_t n = member_count<std::remove_const_t<T>>();
  if constexpr (n == 0) {
    return std::tie();
  } else if constexpr (n == 1) {
    auto& [a] = value;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = value;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = value;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = value;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = value;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = value;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, f, g, h] = value;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = value;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else {
    return more_members(value);
  }
}

// Actions: the head, then their own. `T` is one of the actions, const or not.
template <class T>
requires std::is_base_of_v<ActionHead, T>
constexpr auto members(T& v) {
  const auto heads = std::tie(v.op, v.job, v.tasks);
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, Create>) {
    return std::tuple_cat(heads, std::tie(v.nodes, v.yield));
  } else if constexpr (std::is_same_v<Plain, Restore>) {
    return std::tuple_cat(heads, std::tie(v.nodes, v.yield, v.checkpoint));
  } else if constexpr (std::is_same_v<Plain, Checkpoint>) {
    return std::tuple_cat(heads, std::tie(v.number, v.keep));
  } else if constexpr (std::is_same_v<Plain, Cap>) {
    return std::tuple_cat(heads, std::tie(v.yield));
  } else if constexpr (std::is_same_v<Plain, Save> || std::is_same_v<Plain, Destroy>) {
    return std::tuple_cat(heads, std::tie(v.nodes));
  } else if constexpr (std::is_same_v<Plain, Notify>) {
    return std::tuple_cat(heads, std::tie(v.warns));
  } else if constexpr (std::is_same_v<Plain, Migrate>) {
    return std::tuple_cat(heads, std::tie(v.from, v.to));
  } else if constexpr (std::is_same_v<Plain, Abort>) {
    return std::tuple_cat(heads, std::tie(v.target));
  } else {
    static_assert(sizeof(Plain) == sizeof(ActionHead), "an action with members of its own");
    return heads;
  }
}

// All but its index, which is derived from the others.
constexpr auto members(ClusterView& v) {
  return std::tie(v.now, v.cause, v.next_tick, v.costs, v.nodes, v.jobs, v.memory, v.device_models);
}
constexpr auto members(const ClusterView& v) {
  return std::tie(v.now, v.cause, v.next_tick, v.costs, v.nodes, v.jobs, v.memory, v.device_models);
}

}  // namespace aliquot::test
