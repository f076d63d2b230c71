// A map from ids to values, made for ids that are handed out in increasing order: iteration in increasing
// id, references that stay valid until their value is erased. Iterators hold until the next insertion or
// erasure. An id that is larger than all others is appended; for any other one those behind it make room,
// a word each. Copies deeply.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "policies/model/flat_map.hpp"

namespace aliquot {

template <class Key, class T>
class IdTable {
 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<const Key, T>;
  using size_type = std::size_t;

 private:
  using Entries = FlatMap<Key, std::unique_ptr<value_type>>;

  template <bool constant>
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = IdTable::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = std::conditional_t<constant, const value_type*, value_type*>;
    using reference = std::conditional_t<constant, const value_type&, value_type&>;

    Iterator() = default;
    explicit Iterator(typename Entries::const_iterator at) : at_(at) {}
    // As every container's iterator does.
    operator Iterator<true>() const { return Iterator<true>(at_); }  // NOLINT(google-explicit-constructor)
    reference operator*() const { return *at_->second; }
    pointer operator->() const { return at_->second.get(); }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return Iterator(at_++); }
    friend bool operator==(Iterator a, Iterator b) { return a.at_ == b.at_; }

   private:
    friend IdTable;
    typename Entries::const_iterator at_;
  };

 public:
  using iterator = Iterator<false>;
  using const_iterator = Iterator<true>;

  IdTable() = default;
  IdTable(const IdTable& other) {
    entries_.reserve(other.size());
    for (const value_type& value : other) entries_.append(value.first, std::make_unique<value_type>(value));
  }
  IdTable(IdTable&& other) noexcept = default;
  IdTable& operator=(IdTable other) noexcept { return std::swap(entries_, other.entries_), *this; }
  ~IdTable() = default;

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] iterator begin() { return iterator(entries_.begin()); }
  [[nodiscard]] iterator end() { return iterator(entries_.end()); }
  [[nodiscard]] const_iterator begin() const { return const_iterator(entries_.begin()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(entries_.end()); }

  [[nodiscard]] iterator find(Key key) { return iterator(entries_.find(key)); }
  [[nodiscard]] const_iterator find(Key key) const { return const_iterator(entries_.find(key)); }
  [[nodiscard]] bool contains(Key key) const { return entries_.contains(key); }
  [[nodiscard]] T& at(Key key) { return known(key).second; }
  [[nodiscard]] const T& at(Key key) const { return known(key).second; }
  T& operator[](Key key) { return emplace(key).first->second; }

  // Nothing happens if the key is there already.
  template <class... Args>
  std::pair<iterator, bool> emplace(Key key, Args&&... args) {
    const auto [at, fresh] = entries_.emplace(key, nullptr);
    if (fresh)
      at->second = std::make_unique<value_type>(std::piecewise_construct, std::forward_as_tuple(key),
                                                std::forward_as_tuple(std::forward<Args>(args)...));
    return {iterator(at), fresh};
  }
  std::size_t erase(Key key) { return entries_.erase(key); }
  void clear() { entries_.clear(); }

  friend bool operator==(const IdTable& a, const IdTable& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  [[nodiscard]] value_type& known(Key key) const {
    const auto at = entries_.find(key);
    if (at == entries_.end()) throw std::out_of_range("no value with id " + std::to_string(key.raw));
    return *at->second;
  }

  Entries entries_;
};

}  // namespace aliquot
