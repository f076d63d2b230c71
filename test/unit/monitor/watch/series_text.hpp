// Looks into the text that Prometheus would read.
#pragma once

#include <string>

#include "monitor/metrics.hpp"

namespace aliquot::test {

// The value of one line of the text, "none" if there is no such series. Labels as they are printed.
inline std::string value(const Metrics& metrics, const std::string& series) {
  const std::string text = "\n" + metrics.text();
  const auto at = text.find("\n" + series + " ");
  if (at == std::string::npos) return "none";
  const auto begin = at + series.size() + 2;
  return text.substr(begin, text.find('\n', begin) - begin);
}

inline std::size_t count(const std::string& text, const std::string& what) {
  std::size_t times = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++times;
  return times;
}

}  // namespace aliquot::test
