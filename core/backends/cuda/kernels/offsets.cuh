// Indices that become offsets, are looked at, or are made.
struct Arguments {
  const S* index;
  int64_t* to;
  int64_t count, step, size;
  bool wraps;
  Strided<1> at;
  int64_t* sums;  // of the numbers before each, and of all
};

KERNEL_BOUNDED(add_offsets, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.at.numel; i += thread_count()) {
    int64_t at[1];
    a.at.places(i, at);
    const int64_t index = a.index[at[0]], wrapped = a.wraps && index < 0 ? index + a.size : index;
    if (uint64_t(wrapped) < uint64_t(a.size))
      a.to[i] += a.step * wrapped;
    else
      report_index(index, a.size);  // and the first of them is as good as another
  }
}
KERNEL_BOUNDED(spread_offsets, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    int64_t at[1];
    a.at.places(a.to[i], at);
    a.to[i] = at[0];
  }
}
KERNEL_BOUNDED(check, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    if (uint64_t(a.index[i]) >= uint64_t(a.size)) report_index(a.index[i], a.size);
  }
}
// The sum, the largest, and how many are negative.
KERNEL_BOUNDED(total, Arguments, 256) {
  int64_t sum = 0, largest = 0, negative = 0;
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    const int64_t x = a.index[i];
    sum += x;
    negative += x < 0;
    largest = x > largest ? x : largest;
  }
  sum = over_block(sum, Sum());
  largest = over_block(largest, Largest());
  negative = over_block(negative, Sum());
  if (threadIdx.x != 0) return;
  atomicAdd((unsigned long long*)a.to, (unsigned long long)sum);
  atomicMax((unsigned long long*)(a.to + 1), (unsigned long long)largest);
  atomicAdd((unsigned long long*)(a.to + 2), (unsigned long long)negative);
}
// Number i as often as it says: each place looks up which sums it lies between.
KERNEL_BOUNDED(repeat, Arguments, 256) {
  const int64_t all = a.sums[a.count];
  for (int64_t i = thread_number(); i < all; i += thread_count()) {
    int64_t low = 0, high = a.count;  // the last of the sums that is not beyond i
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (a.sums[middle] <= i ? low : high) = middle;
    }
    a.to[i] = low;
  }
}
