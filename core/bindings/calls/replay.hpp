// A recorded step as a call: whether it may be replayed now, what goes in, and what comes out.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/node.hpp"
#include "backends/recording/recording.hpp"
#include "bindings/calls/state_guards.hpp"

namespace chainrule {

// What decides, beside its arguments and variables, how a step is calculated.
struct Modes {
  bool recording, inference, casts, caches, watches, packs, deterministic;
  DType autocast, floating;
  Device device;
  bool operator==(const Modes&) const = default;
  static Modes now();
};

class Replay {
 public:
  // Begins a recording. `inputs` are the step's own copies of its arguments, `watched` the tensors that it is made of.
  Replay(std::vector<Tensor> inputs, std::vector<Tensor> watched);
  ~Replay();
  Replay(const Replay&) = delete;

  void stop();
  std::vector<bool> written_inputs() const;
  // What the recorded call returned. False if it cannot be replayed: recording().reason() says why.
  bool finish(std::vector<Tensor> outputs);
  // Whether it may be replayed now; else changed() says what differs.
  bool fits(std::span<PyObject* const> arguments);
  const std::string& changed() const { return changed_; }
  bool is_running() const { return running_; }
  // The results, one for each of the outputs.
  PyObject* run(std::span<PyObject* const> arguments);
  // The same, of the recorded call itself.
  PyObject* results(std::span<PyObject* const> arguments);

  // An optimizer's options, while it goes over the parameters of one group. They have to stay as they are; but for the
  // learning rate, where nothing but the core's step was told it, which looks it up when it is replayed.
  void begin_options(PyObject* options);
  void end_options();
  static Replay* active();  // that this thread records, or null

  Recording& recording() { return *recording_; }
  StateGuards& guards() { return guards_; }
  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  // A tensor that was there before, as the step found it.
  struct Watched {
    Tensor tensor;
    Storage* storage;
    char* data;
    uint64_t seen;  // the number of the next node then
    uint16_t flags;
    uint32_t version, writes = 0;
    bool used = true, grad_used = false;
    Tensor grad, grad_after;  // before and after the recorded call
    Py_ssize_t grad_references = 0;
    bool as_it_was() const;
  };
  struct Output {
    Tensor tensor;
    int input = -1;      // it is that argument itself
    bool lasts = false;  // it was there before, and is handed out as it is
  };
  static Watched watch(const Tensor& t);
  bool finish(Watched& w);
  bool add_output(const Tensor& t);
  bool fits_input(size_t i, PyObject* argument);
  bool fits_gradient(const Watched& w);
  bool differs(std::string what);
  void copy_in(std::span<PyObject* const> arguments);
  void place_gradients();
  void count_writes();
  void hand_gradients_on(std::span<PyObject* const> arguments);
  Tensor result(const Output& output, std::span<PyObject* const> arguments) const;

  std::unique_ptr<Recording> recording_;
  StateGuards guards_;
  Modes modes_;
  std::vector<Watched> inputs_, watched_;
  std::vector<Output> outputs_;
  std::string changed_;
  Owned options_;
  size_t calls_before_options_ = 0;
  bool running_ = false, stopped_ = false;
};

}  // namespace chainrule
