// Writing where other threads may write too. The order in which they come differs from run to run.
template <class Word, class S, class Change>
inline void change_in_word(S* at, Change change) {
  const size_t address = size_t(at), begin = address / sizeof(Word) * sizeof(Word);
  Word* const word = (Word*)begin;
  Word before = *word;
  while (true) {
    Word after = before;
    S* const inside = (S*)((char*)&after + (address - begin));
    *inside = change(*inside);
    const Word found = atomicCAS(word, before, after);
    if (found == before) return;
    before = found;
  }
}
// *at = change(*at), of elements up to 8 bytes.
template <class S, class Change>
inline void atomic_change(S* at, Change change) {
  if constexpr (sizeof(S) <= 4)
    change_in_word<unsigned>(at, change);
  else
    change_in_word<unsigned long long>(at, change);
}
template <class S, class V>
inline void atomic_add(S* at, V v) {
  if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double>) {
    atomicAdd(at, S(v));
  } else if constexpr (std::is_same_v<S, int64_t>) {
    atomicAdd((unsigned long long*)at, (unsigned long long)v);
  } else if constexpr (std::is_same_v<S, int32_t>) {
    atomicAdd(at, int(v));
  } else if constexpr (requires { at->re; }) {
    atomicAdd(&at->re, decltype(at->re)(v.re));
    atomicAdd(&at->im, decltype(at->im)(v.im));
  } else {
    atomic_change(at, [v](S s) { return stored<S>(V(load<V>(s) + v)); });
  }
}
