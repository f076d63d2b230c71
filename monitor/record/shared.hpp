// A value that is never changed and is copied by reference: for what is large and known in many places.
//
// It behaves like a const T: equal when the values are, read with -> and *. To change it, assign another.
#pragma once

#include <memory>
#include <utility>

namespace aliquot {

template <class T>
class Shared {
 public:
  Shared() : value_(nothing()) {}
  // Stands wherever a T does, both ways.
  Shared(T value)  // NOLINT(google-explicit-constructor)
      : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || *a.value_ == *b.value_;
  }

 private:
  static const std::shared_ptr<const T>& nothing() {
    static const auto value = std::make_shared<const T>();
    return value;
  }
  std::shared_ptr<const T> value_;
};

}  // namespace aliquot
