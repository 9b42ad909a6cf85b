// The Python object that shows a storage may outlive those who asked for it; the bindings say how.
#pragma once

namespace chainrule {

struct Storage;

// Asked when nobody refers to a storage any more but an object shows it: whether that object takes it over. Otherwise
// the object is let go.
inline bool (*shown_storage_survives)(Storage*) = nullptr;

}  // namespace chainrule
