#include "tensor/checked_size.hpp"

#include "check.hpp"

using chainrule::CheckedSize;

namespace { constexpr int64_t kMost = INT64_MAX, kLeast = INT64_MIN; }

TEST_THAT(sizes_in_range_are_what_they_are) {
  EXPECT((CheckedSize(3) * 4 + 5 - 7).value() == 10);
  EXPECT((CheckedSize(kMost) + 0).value() == kMost);
  EXPECT((CheckedSize(kMost) - 1 + 1).value() == kMost);
  EXPECT((CheckedSize(kLeast) + kMost).value() == -1);
  EXPECT((CheckedSize(int64_t{1} << 31) * (int64_t{1} << 31)).value() == int64_t{1} << 62);
  EXPECT((CheckedSize(-1) * kMost).value() == -kMost);
  CheckedSize size = 6;
  size += 2;
  size *= 5;
  EXPECT(size.value() == 40);
}

TEST_THAT(sizes_beyond_the_range_raise) {
  EXPECT_RAISES(chainrule::Error, CheckedSize(kMost) + 1);
  EXPECT_RAISES(chainrule::Error, 1 + CheckedSize(kMost));
  EXPECT_RAISES(chainrule::Error, CheckedSize(kLeast) - 1);
  EXPECT_RAISES(chainrule::Error, 0 - CheckedSize(kLeast));
  EXPECT_RAISES(chainrule::Error, CheckedSize(int64_t{1} << 32) * (int64_t{1} << 31));
  EXPECT_RAISES(chainrule::Error, CheckedSize(-1) * kLeast);
  CheckedSize size = kMost;
  EXPECT_RAISES(chainrule::Error, size += 1);
  EXPECT_RAISES(chainrule::Error, size *= 2);
  EXPECT(size.value() == kMost);
}

TEST_THAT(an_error_names_both_sizes) {
  try {
    CheckedSize(kMost) * 3;
    EXPECT(false);
  } catch (const chainrule::Error& e) {
    const std::string text = e.what();
    EXPECT(text.find("9223372036854775807 * 3") != text.npos);
    EXPECT(e.type() == PyExc_RuntimeError);
  }
}
