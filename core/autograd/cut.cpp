// Where values leave the graph, so that a missing gradient can be explained.
#include "autograd/cut.hpp"

#include "autograd/record.hpp"
#include "autograd/source_line.hpp"

namespace chainrule {

Cut find_cut(const TensorObject* t) {
  if (!t->has(kCut)) return {};
  if (t->extras && t->extras->cut_by) return {t->extras->cut_by, t->extras->cut};
  return {"no_grad()", t->storage->written};
}

void set_cut(TensorObject* t, const char* how, const SourceLine& line) {
  TensorExtras* r = extras_of(t);
  r->cut = line;
  r->cut_by = how;
  t->flags |= kCut;
}

void mark_cut(const Tensor& t, const char* how) {
  GradModeScope off(false);  // a view whose history cannot be told any more may still be read
  if (requires_grad(t)) set_cut(t.get(), how, current_line());
}

void mark_unrecorded(const Tensor& output) {
  output->flags |= kCut;
  output->storage->written = current_line();
}

void inherit_cut(const Tensor& output, const TensorObject* input) {
  if (output->has(kCut)) return;
  Cut cut = find_cut(input);
  if (cut.how) set_cut(output.get(), cut.how, cut.line);
}

}  // namespace chainrule
