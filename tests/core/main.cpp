#include <exception>

#include "check.hpp"

// The number of failures. `count` becomes the number of tests.
extern "C" __attribute__((visibility("default"))) int run_core_tests(int* count) {
  for (tests::Test* t = tests::Test::first; t; t = t->next) {
    ++*count;
    const int before = tests::Test::failures;
    try {
      t->run();
    } catch (const std::exception& e) {
      ++tests::Test::failures;
      std::printf("%s threw: %s\n", t->name, e.what());
    }
    if (tests::Test::failures > before) std::printf("%s failed\n", t->name);
  }
  std::fflush(stdout);
  return tests::Test::failures;
}
