#include "bindings/subjects/table_bindings.hpp"

#include "autograd/node.hpp"
#include "ops/elementwise/read_line.hpp"
#include "ops/elementwise/table.hpp"

namespace nb = nanobind;

namespace chainrule {
namespace {

nb::list table_rows() {
  nb::list rows;
  for (const OpRecord& op : op_table()) {
    nb::dict row;
    row["name"] = op.name;
    nb::list inputs, gradients;
    for (int i = 0; i < op.input_count; ++i) {
      inputs.append(op.input_names[i]);
      if (op.gradients[i]) gradients.append(op.gradients[i]);
    }
    row["inputs"] = inputs;
    row["gradients"] = gradients;
    row["domain"] = kDomainNames[static_cast<int>(op.domain)];
    row["parameters"] = op.parameters;
    row["value"] = op.value;
    row["is_test"] = op.is_test;
    row["node"] = op.info->node_name;
    rows.append(row);
  }
  return rows;
}

nb::list alias_rows() {
  nb::list rows;
  for (const OpAlias& a : op_aliases()) rows.append(nb::make_tuple(a.name, a.target));
  return rows;
}

nb::list formula_rows() {
  nb::list rows;
  for (const NamedFormula& f : known_formulas()) rows.append(nb::make_tuple(f.name, f.formula));
  return rows;
}

}  // namespace

void bind_table(nb::module_& m) {
  m.def("op_table", &table_rows);
  m.def("op_aliases", &alias_rows);
  m.def("op_formulas", &formula_rows);
}

}  // namespace chainrule
