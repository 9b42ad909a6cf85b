// Calculating what waits; see Note [Who may see a waiting buffer].
#pragma once

namespace chainrule {

extern int pending_count;  // operations that wait, or are calculated by other threads
void run_pending();
inline void settle() {
  if (pending_count) [[unlikely]]
    run_pending();
}
// For destructors: what cannot be calculated now goes on waiting, and the next door raises.
void settle_quietly() noexcept;

}  // namespace chainrule
