// cuDNN's graphs, as far as chainrule uses them: one convolution each, one number at a time, in double.
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "memory.hpp"
#include "numbers.hpp"

namespace {

constexpr int kBadParameter = 2000, kNotSupported = 3000;

// What was set, as bytes.
struct Descriptor {
  int kind;
  std::map<int, std::vector<char>> attributes;
  bool is_final = false;

  template <class T>
  std::vector<T> all(int attribute) const {
    const std::vector<char>& bytes = attributes.at(attribute);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  template <class T>
  T one(int attribute) const {
    return all<T>(attribute).at(0);
  }
  const Descriptor& part(int attribute) const { return *one<const Descriptor*>(attribute); }
  template <class T>
  void put(int attribute, T value) {
    const char* from = reinterpret_cast<const char*>(&value);
    attributes[attribute].assign(from, from + sizeof value);
  }
};

size_t width_of(int type) {
  switch (type) {
    case 1:
    case 4:
    case 7:
    case 8:
    case 11:
      return 4;
    case 2:
      return 1;
    default:
      return 8;
  }
}

// cuDNN's numbers of types as those of the products.
int type_of(const Descriptor& tensor) {
  switch (tensor.one<int>(901)) {
    case 0:
      return kR32;
    case 1:
      return kR64;
    case 2:
      return kR16;
    default:
      return kBf16;
  }
}

// All indices of some sizes, in order. False after the last one.
bool advance(std::vector<int64_t>& index, const std::vector<int64_t>& sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

struct Convolution {
  const Descriptor &window, &filter, &image, &out;
  std::vector<int64_t> filters = filter.all<int64_t>(902), images = image.all<int64_t>(902),
                       outs = out.all<int64_t>(902);
  std::vector<int64_t> stride = window.all<int64_t>(103), dilation = window.all<int64_t>(102),
                       before = window.all<int64_t>(105), after = window.all<int64_t>(104);
  Convolution(const Descriptor& operation, int first)
      : window(operation.part(first + 2)),
        filter(operation.part(first + 3)),
        image(operation.part(first + 4)),
        out(operation.part(first + 5)) {}

  bool is_right() const {
    for (size_t d = 0; d < stride.size(); ++d) {
      const int64_t reach = dilation[d] * (filters[d + 2] - 1) + 1;
      if (outs[d + 2] != (images[d + 2] + before[d] + after[d] - reach) / stride[d] + 1) return false;
    }
    return outs[0] == images[0] && outs[1] == filters[0] && images[1] % filters[1] == 0;
  }

  static int64_t place(const Descriptor& t, const std::vector<int64_t>& index) {
    const std::vector<int64_t> strides = t.all<int64_t>(903);
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
    return at;
  }

  // Calls f(place in the filter, in the image, in what comes out) for every product.
  template <class F>
  void each(F f) const {
    const int64_t groups = images[1] / filters[1], per_group = filters[0] / groups;
    std::vector<int64_t> o(outs.size(), 0);
    do {
      std::vector<int64_t> w(filters.begin() + 1, filters.end()), tap(w.size(), 0);
      do {
        std::vector<int64_t> at{o[1]}, x{o[0], o[1] / per_group * filters[1] + tap[0]};
        at.insert(at.end(), tap.begin(), tap.end());
        bool inside = true;
        for (size_t d = 0; d < stride.size(); ++d) {
          x.push_back(o[d + 2] * stride[d] - before[d] + tap[d + 1] * dilation[d]);
          inside &= x.back() >= 0 && x.back() < images[d + 2];
        }
        if (inside) f(place(filter, at), place(image, x), place(out, o));
      } while (advance(tap, w));
    } while (advance(o, outs));
  }
};

int64_t count_of(const Descriptor& t) {
  int64_t count = 1;
  for (int64_t size : t.all<int64_t>(902)) count *= size;
  return count;
}

// A plan's operation on the addresses of a pack.
int execute(const Descriptor& operation, const std::map<int64_t, void*>& addresses) {
  const int first = operation.kind == 10 ? 700 : operation.kind == 12 ? 706 : 712;
  const Convolution c(operation, first);
  if (!c.is_right()) return kBadParameter;
  const bool is_double = c.window.one<int>(100) == 1;
  const double alpha = is_double ? operation.one<double>(first) : operation.one<float>(first);
  if (is_double != (type_of(c.image) == kR64)) return kBadParameter;
  const auto data = [&](const Descriptor& t) { return addresses.at(t.one<int64_t>(906)); };
  const Descriptor& to = operation.kind == 10 ? c.out : operation.kind == 12 ? c.image : c.filter;
  std::vector<Number> sums(static_cast<size_t>(count_of(to)));
  const auto value = [&](const Descriptor& t, int64_t i) { return read(data(t), type_of(t), i); };
  const Opened open;
  c.each([&](int64_t w, int64_t x, int64_t y) {
    if (operation.kind == 10) sums[static_cast<size_t>(y)] += value(c.filter, w) * value(c.image, x);
    if (operation.kind == 12) sums[static_cast<size_t>(x)] += value(c.filter, w) * value(c.out, y);
    if (operation.kind == 11) sums[static_cast<size_t>(w)] += value(c.image, x) * value(c.out, y);
  });
  for (size_t i = 0; i < sums.size(); ++i) write(data(to), type_of(to), static_cast<int64_t>(i), alpha * sums[i]);
  return 0;
}

}  // namespace

extern "C" {

size_t cudnnGetVersion() { return 91900; }
int cudnnCreate(void** handle) { return *handle = new char, 0; }
int cudnnSetStream(void*, void*) { return 0; }
int cudnnBackendCreateDescriptor(int kind, Descriptor** d) { return *d = new Descriptor{kind, {}}, 0; }
int cudnnBackendDestroyDescriptor(Descriptor*) { return 0; }  // others may still refer to it
int cudnnBackendSetAttribute(Descriptor* d, int attribute, int type, int64_t count, const void* values) {
  if (d->is_final) return kBadParameter;
  const char* from = static_cast<const char*>(values);
  return d->attributes[attribute].assign(from, from + static_cast<size_t>(count) * width_of(type)), 0;
}
// The one way that there is comes second, behind one that rounds factors; without a plan for three groups.
int cudnnBackendGetAttribute(Descriptor* d, int attribute, int, int64_t room, int64_t* count, void* values) {
  if (attribute == 202) {
    *count = 2;
    for (int64_t i = 0; i < room; ++i) {
      auto* config = static_cast<Descriptor**>(values)[i];
      config->put(201, &d->part(201));
      config->put(1, i);
    }
    return 0;
  }
  *count = 1;
  if (attribute == 300) return (*static_cast<Descriptor**>(values))->put(1, d->one<int64_t>(1)), 0;
  if (attribute == 1303) {
    if (d->one<int64_t>(1) == 1) return *count = 0, 0;
    return *static_cast<int*>(values) = 1, 0;
  }
  if (attribute == 402) return *static_cast<int64_t*>(values) = 1000, 0;
  return kBadParameter;
}
int cudnnBackendFinalize(Descriptor* d) {
  d->is_final = true;
  if (d->kind != 5) return 0;
  const Descriptor& operation = d->part(401).part(201).part(801);
  const Convolution c(operation, operation.kind == 10 ? 700 : operation.kind == 12 ? 706 : 712);
  if (c.images[1] / c.filters[1] == 3) return kNotSupported;
  return 0;
}
int cudnnBackendExecute(void*, const Descriptor* plan, const Descriptor* pack) {
  const auto ids = pack->all<int64_t>(1000);
  const auto pointers = pack->all<void*>(1001);
  std::map<int64_t, void*> addresses;
  for (size_t i = 0; i < ids.size(); ++i) addresses[ids[i]] = pointers[i];
  return execute(plan->part(401).part(201).part(801), addresses);
}
}
