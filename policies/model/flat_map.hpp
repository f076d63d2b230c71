// A map in one piece of memory, in increasing keys: for what is written and read in that order, and copied
// and thrown away with every decision. What comes last is appended; anything else moves what comes after
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace aliquot {

template <class Key, class T>
class FlatMap {
 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<Key, T>;  // a key never changes
  using iterator = typename std::vector<value_type>::iterator;
  using const_iterator = typename std::vector<value_type>::const_iterator;

  [[nodiscard]] iterator begin() { return values_.begin(); }
  [[nodiscard]] iterator end() { return values_.end(); }
  [[nodiscard]] const_iterator begin() const { return values_.begin(); }
  [[nodiscard]] const_iterator end() const { return values_.end(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  void reserve(std::size_t count) { values_.reserve(count); }
  void clear() { values_.clear(); }

  [[nodiscard]] iterator find(Key key) { return known(lower_bound(*this, key), key, end()); }
  [[nodiscard]] const_iterator find(Key key) const { return known(lower_bound(*this, key), key, end()); }
  [[nodiscard]] bool contains(Key key) const { return find(key) != end(); }
  [[nodiscard]] T& at(Key key) { return value_at(*this, key); }
  [[nodiscard]] const T& at(Key key) const { return value_at(*this, key); }
  T& operator[](Key key) { return emplace(key, T{}).first->second; }

  // Nothing happens if the key is there already.
  std::pair<iterator, bool> emplace(Key key, T value) {
    const iterator at = lower_bound(*this, key);
    if (at != end() && at->first == key) return {at, false};
    return {values_.emplace(at, key, std::move(value)), true};
  }
  std::pair<iterator, bool> insert(const value_type& value) { return emplace(value.first, value.second); }
  // Beyond all keys there are.
  void append(Key key, T value) { values_.emplace_back(key, std::move(value)); }
  std::size_t erase(Key key) {
    const iterator at = find(key);
    if (at == end()) return 0;
    values_.erase(at);
    return 1;
  }

  friend bool operator==(const FlatMap&, const FlatMap&) = default;

 private:
  template <class Self>
  static auto lower_bound(Self& self, Key key) {
    if (self.empty() || self.values_.back().first < key) return self.end();
    return std::lower_bound(self.begin(), self.end(), key,
                            [](const value_type& value, Key wanted) { return value.first < wanted; });
  }
  template <class Iterator>
  static Iterator known(Iterator at, Key key, Iterator end) {
    return at != end && at->first == key ? at : end;
  }
  template <class Self>
  static auto& value_at(Self& self, Key key) {
    const auto at = self.find(key);
    if (at == self.end()) throw std::out_of_range("no value with this key");
    return at->second;
  }

  std::vector<value_type> values_;
};

}  // namespace aliquot
