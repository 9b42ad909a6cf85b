// Recurrent cells and networks, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/networks/recurrent.hpp"

namespace chainrule {
namespace {

using List = std::vector<Tensor>;

List listed(const RecurrentResult& r) { return r.c ? List{r.output, r.h, r.c} : List{r.output, r.h}; }

constexpr const char* kCellWeights = "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None)";
constexpr const char* kOptions = "bool has_biases, int num_layers, float dropout, bool train, bool bidirectional";

// Networks whose state is one tensor.
template <Recurrence kind>
void bind_simple(const std::string& name) {
  define(name + "(Tensor input, Tensor hx, Tensor[] params, " + kOptions + ", bool batch_first)", kFunction,
         [](const Tensor& input, const Tensor& h, const List& parameters, bool biases, int64_t layers, double dropout,
            bool training, bool bidirectional, bool batch_first) {
           return listed(recurrent({kind, biases, layers, dropout, training, bidirectional}, input, {h}, parameters,
                                   batch_first));
         });
  define(name + "(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, " + kOptions + ")", kFunction,
         [](const Tensor& data, const Tensor& sizes, const Tensor& h, const List& parameters, bool biases,
            int64_t layers, double dropout, bool training, bool bidirectional) {
           return listed(recurrent_packed({kind, biases, layers, dropout, training, bidirectional}, data, sizes, {h},
                                          parameters));
         });
  define(name + "_cell(Tensor input, Tensor hx, " + kCellWeights, kFunction,
         [](const Tensor& input, const Tensor& h, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
            const Tensor& b_hh) { return cell(kind, input, {h, {}}, {w_ih, w_hh, b_ih, b_hh, {}}).h; });
}

void bind_lstm() {
  define(std::string("lstm(Tensor input, Tensor[] hx, Tensor[] params, ") + kOptions + ", bool batch_first)", kFunction,
         [](const Tensor& input, const List& state, const List& parameters, bool biases, int64_t layers, double dropout,
            bool training, bool bidirectional, bool batch_first) {
           return listed(recurrent({Recurrence::Lstm, biases, layers, dropout, training, bidirectional}, input, state,
                                   parameters, batch_first));
         });
  define(std::string("lstm(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, ") + kOptions + ")",
         kFunction,
         [](const Tensor& data, const Tensor& sizes, const List& state, const List& parameters, bool biases,
            int64_t layers, double dropout, bool training, bool bidirectional) {
           return listed(recurrent_packed({Recurrence::Lstm, biases, layers, dropout, training, bidirectional}, data,
                                          sizes, state, parameters));
         });
  define(std::string("lstm_cell(Tensor input, Tensor[] hx, ") + kCellWeights + " -> Tensor[]", kFunction,
         [](const Tensor& input, const List& state, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
            const Tensor& b_hh) {
           check(state.size() == 2, "lstm_cell expects two hidden states");
           CellState s = cell(Recurrence::Lstm, input, {state[0], state[1]}, {w_ih, w_hh, b_ih, b_hh, {}});
           return std::pair(s.h, s.c);
         });
}

}  // namespace

void bind_recurrent() {
  bind_lstm();
  bind_simple<Recurrence::Gru>("gru");
  bind_simple<Recurrence::Tanh>("rnn_tanh");
  bind_simple<Recurrence::Relu>("rnn_relu");
}

}  // namespace chainrule
