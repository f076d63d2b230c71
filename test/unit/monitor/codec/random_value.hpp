// Random values of any type of the model, and their comparison member by member. Seeded: a failure can be
// repeated. Favours what breaks codecs: the ends of the ranges, empty things, bytes that are not UTF-8.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "monitor/codec_words.hpp"
#include "monitor/record/step.hpp"
#include "policies/policy.hpp"
#include "test/unit/monitor/codec/members.hpp"

namespace aliquot::test {

template <class T>
struct Shape {
  static constexpr bool vector = false, map = false, optional = false, variant = false, shared = false;
};
template <class T>
struct Shape<std::vector<T>> : Shape<void> {
  static constexpr bool vector = true;
};
template <class K, class V>
struct Shape<std::map<K, V>> : Shape<void> {
  static constexpr bool map = true;
};
template <class K, class V>
struct Shape<FlatMap<K, V>> : Shape<void> {
  static constexpr bool map = true;
};
template <class K, class V>
struct Shape<IdTable<K, V>> : Shape<void> {
  static constexpr bool map = true;
};
template <class T>
struct Shape<Shared<T>> : Shape<void> {
  static constexpr bool shared = true;
  using Value = T;
};
template <class T>
struct Shape<std::optional<T>> : Shape<void> {
  static constexpr bool optional = true;
};
template <class... T>
struct Shape<std::variant<T...>> : Shape<void> {
  static constexpr bool variant = true;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t below(std::uint64_t n) { return engine_() % n; }

  template <class T>
  T make() {
    T value{};
    fill(value);
    return value;
  }

 private:
  template <class T>
  T integer() {
    constexpr T ends[] = {0, 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    if (below(3) == 0) return ends[below(4)];
    return static_cast<T>(engine_() >> below(64));
  }
  Int128 wide() {
    const auto high = static_cast<Int128>(integer<std::int64_t>());
    return high * (Int128{1} << 64) + static_cast<Int128>(integer<std::uint64_t>());
  }
  std::string text() {
    static const std::string pieces[] = {"a",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "é",
                                         "日本",
                                         "😀",
                                         "\xff",
                                         "\xc0\xaf",
                                         std::string(1, '\0'),
                                         "\xed\xa0\x80",
                                         " ",
                                         "\x7f",
                                         "\xf4\x90\x80\x80"};
    std::string out;
    for (auto n = below(6); n > 0; --n) out += pieces[below(std::size(pieces))];
    return out;
  }

  template <class T>
  void fill(T& value) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(below(words<T>().size()));
    } else if constexpr (std::is_same_v<T, bool>) {
      value = below(2) == 0;
    } else if constexpr (std::is_same_v<T, Int128>) {
      value = wide();
    } else if constexpr (std::is_integral_v<T>) {
      value = integer<T>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = text();
    } else if constexpr (std::is_same_v<T, TaskNodes>) {
      value = make<NodeId>();
    } else if constexpr (std::is_same_v<T, DeviceModels>) {
      for (auto n = below(DeviceModels::kMost + 1); n > 0; --n) value.add(make<DeviceModel>());
    } else if constexpr (std::is_same_v<T, std::shared_ptr<const PolicyState>>) {
      value = decode_policy_state(text());
    } else if constexpr (Shape<T>::optional) {
      if (below(2) == 0) fill(value.emplace());
    } else if constexpr (Shape<T>::vector) {
      value.resize(below(4));
      for (auto& item : value) fill(item);
    } else if constexpr (Shape<T>::map) {
      for (auto n = below(4); n > 0; --n) fill(value[make<typename T::key_type>()]);
    } else if constexpr (Shape<T>::shared) {
      value = make<typename Shape<T>::Value>();
    } else if constexpr (Shape<T>::variant) {
      fill_alternative(value, below(std::variant_size_v<T>));
    } else {
      std::apply([&](auto&... member) { (fill(member), ...); }, members(value));
    }
    if constexpr (std::is_same_v<T, ClusterView>) tidy(value);
    if constexpr (std::is_base_of_v<ActionHead, T>) spread(value);
  }
  template <std::size_t index = 0, class V>
  void fill_alternative(V& value, std::size_t wanted) {
    if constexpr (index < std::variant_size_v<V>) {
      if (index != wanted) return fill_alternative<index + 1>(value, wanted);
      fill(value.template emplace<index>());
    }
  }
  // Half the actions have a node for each task.
  template <class A>
  void spread(A& action) {
    if (below(2) == 0) return;
    const std::uint32_t count = action.tasks.count = 1 + static_cast<std::uint32_t>(below(4));
    const auto more = [&](TaskNodes& nodes) {
      for (std::uint32_t task = 1; task < count; ++task) nodes.append(task, make<NodeId>(), count);
    };
    if constexpr (requires { action.nodes; }) more(action.nodes);
    if constexpr (requires { action.from; }) more(action.from), more(action.to);
  }
  // A view's own law: nodes count from 0, jobs stand under their ids.
  static void tidy(ClusterView& view) {
    std::uint32_t next = 0;
    for (Node& node : view.nodes) node.id = {next++};
    for (auto& [id, job] : view.jobs) job.id = id;
  }

  std::mt19937_64 engine_;
};

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Int128> ||
                std::is_same_v<T, std::string> || std::is_same_v<T, TaskNodes> ||
                std::is_same_v<T, DeviceModels>) {
    return a == b;
  } else if constexpr (std::is_same_v<T, std::shared_ptr<const PolicyState>>) {
    return encode_policy_state(a) == encode_policy_state(b);
  } else if constexpr (Shape<T>::optional) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (Shape<T>::shared) {
    return same(*a, *b);
  } else if constexpr (Shape<T>::vector) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i], b[i])) return false;
    }
    return true;
  } else if constexpr (Shape<T>::map) {
    if (a.size() != b.size()) return false;
    for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
      if (!same(i->first, j->first) || !same(i->second, j->second)) return false;
    }
    return true;
  } else if constexpr (Shape<T>::variant) {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&](const auto& left) { return same(left, std::get<std::decay_t<decltype(left)>>(b)); }, a);
  } else {
    const auto left = members(a);
    const auto right = members(b);
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return (same(std::get<i>(left), std::get<i>(right)) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(left)>>{});
  }
}

}  // namespace aliquot::test
