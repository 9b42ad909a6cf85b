// What the core's own tests are written with.
#pragma once
#include <cstdio>

namespace tests {

// A test registers itself; run_core_tests() runs them all.
struct Test {
  const char* name;
  void (*run)();
  Test* next;
  static inline Test* first = nullptr;
  static inline int failures = 0;

  Test(const char* name, void (*run)()) : name(name), run(run), next(first) { first = this; }
};

inline void expect(bool holds, const char* file, int line, const char* text) {
  if (holds) return;
  ++Test::failures;
  std::printf("%s:%d: %s\n", file, line, text);
}

}  // namespace tests

#define TEST_THAT(name)                             \
  static void name();                               \
  static tests::Test name##_is_a_test(#name, name); \
  static void name()

#define EXPECT(condition) tests::expect(condition, __FILE__, __LINE__, #condition)

#define EXPECT_RAISES(Type, expression)                                      \
  do {                                                                       \
    bool raised = false;                                                     \
    try {                                                                    \
      (void)(expression);                                                    \
    } catch (const Type&) {                                                  \
      raised = true;                                                         \
    }                                                                        \
    tests::expect(raised, __FILE__, __LINE__, #expression " raises " #Type); \
  } while (false)
