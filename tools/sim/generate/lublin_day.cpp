#include "tools/sim/generate/lublin_day.hpp"

#include <cstdlib>
#include <numeric>

namespace aliquot {
namespace {

constexpr double kPrecision = 1e-10;
constexpr int kMostTerms = 1000;

// P(a, x) by its series (Abramowitz and Stegun 6.5.29); converges fast for x < a + 1.
double lower_series(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n < kMostTerms && std::abs(term) >= std::abs(sum) * kPrecision; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

// 1 - P(a, x) by its continued fraction (Abramowitz and Stegun 6.5.31), evaluated from the front (Lentz).
double upper_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / tiny;
  double d = 1 / b;
  double value = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double factor = -n * (n - a);
    b += 2;
    d = factor * d + b;
    c = b + factor / c;
    d = 1 / (std::abs(d) < tiny ? tiny : d);
    c = std::abs(c) < tiny ? tiny : c;
    value *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return value * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

// The probability that the variate is at most `at`.
double cumulative(const GammaShape& of, double at) {
  const double x = at / of.scale;
  if (x <= 0) return 0;
  return x < of.shape + 1 ? lower_series(of.shape, x) : 1 - upper_fraction(of.shape, x);
}

}  // namespace

LublinDay lublin_day(const GammaShape& shape) {
  LublinDay day{};
  constexpr std::size_t begin = 11;
  for (std::size_t i = begin; i < begin + day.size(); ++i) {
    const auto at = static_cast<double>(i);
    day[(i - 1) % day.size()] = cumulative(shape, at + 0.5) - cumulative(shape, at - 0.5);
  }
  const double mean = std::accumulate(day.begin(), day.end(), 0.0) / static_cast<double>(day.size());
  for (double& weight : day) weight /= mean;
  return day;
}

}  // namespace aliquot
