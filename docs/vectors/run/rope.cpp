// Rotary positions in C++, half layout.
#include <cmath>
#include <cstdint>

extern "C" void rope_half(const double* x, const int64_t* positions,
                          double base, int n_tokens, int width,
                          double* y) {
  const int half = width / 2;
  for (int t = 0; t < n_tokens; ++t) {
    const double* from = x + t * width;
    double* to = y + t * width;
    for (int i = 0; i < half; ++i) {
      const double speed = std::pow(base, -2.0 * i / width);
      const double angle = positions[t] * speed;
      const double c = std::cos(angle), s = std::sin(angle);
      to[i] = from[i] * c - from[i + half] * s;
      to[i + half] = from[i + half] * c + from[i] * s;
    }
  }
}
