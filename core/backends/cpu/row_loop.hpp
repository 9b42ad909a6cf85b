// Running over rows on all threads, with scratch memory for each that works.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace chainrule::cpu {

// Calls f(begin, end, scratch) for ranges of [0, count); `length` is that of a row and decides how many make a range.
// The scratch memory, `bytes` for each range at work, is uninitialised. Call with Python's lock held.
void for_rows(int64_t count, int64_t length, size_t bytes, const std::function<void(int64_t, int64_t, void*)>& f);

}  // namespace chainrule::cpu
