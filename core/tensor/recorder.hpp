// What storages, kernels and doors tell a step that is being recorded; see backends/recording/recording.hpp.
#pragma once
#include <string>

namespace chainrule {

class Recording;
struct Scalar;
struct Storage;
enum class DType : uint8_t;

// The recording that this thread makes, or null.
extern thread_local Recording* recorder __attribute__((tls_model("initial-exec")));

// Says why what happens now cannot be replayed. The step goes on as usual, and is not replayed.
void cannot_replay(const std::string& why);
// Memory for a storage of the step; it becomes free for the step's later storages when this one dies.
void take_recorded(Storage* storage);
// Writes one value, now and at each replay.
void set_recorded(char* to, DType dtype, const Scalar& value);

}  // namespace chainrule
