// Steps of optimisers, bound: those of PyTorch under its names, the others under names of the same kind.
#include <algorithm>
#include <cmath>

#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/networks/optimise.hpp"

namespace chainrule {
namespace {

// Corrections for averages that began at zero.
void correct(StepNumbers& s, double step) {
  s.correction1 = 1 - std::pow(s.beta1, step);
  s.correction2 = 1 - std::pow(s.beta2, step);
}

// A number as PyTorch takes it into an operation on tensors of that dtype.
double rounded(double x, DType dtype) { return dtype == DType::Float64 ? x : static_cast<float>(x); }

// `steps` already count this step.
void adam(const char* name, bool decoupled, const TensorList& p, const TensorList& g, const TensorList& averages,
          const TensorList& squares, const TensorList& largest, const TensorList& steps, StepNumbers s,
          const GradientScale& scale) {
  check_list(name, p.size(), steps.size(), "steps");
  s.decoupled = decoupled;
  TensorList none;
  step_all(name, Optimiser::Adam, p, g, {&averages, &squares, s.amsgrad ? &largest : &none}, scale,
           [s, steps](size_t i) mutable {
             correct(s, read_number(steps[i]));
             return s;
           });
}

void bind_adam(const std::string& name, bool decoupled) {
  Signature signature = Signature::parse(
      name +
      "(Tensor[] input, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] "
      "state_steps, *, Number lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool "
      "maximize, "
      "Tensor? grad_scale=None, Tensor? found_inf=None) -> None");
  define_call(signature, kFunction, [decoupled, name](const BoundArguments& a) {
    StepNumbers s;
    s.lr = to_scalar(a[6]).real;
    s.beta1 = to_double(a[7]);
    s.beta2 = to_double(a[8]);
    s.weight_decay = to_double(a[9]);
    s.eps = to_double(a[10]);
    s.amsgrad = a[11] == Py_True;
    s.maximize = a[12] == Py_True;
    adam(name.c_str(), decoupled, to_tensors(a[0]), to_tensors(a[1]), to_tensors(a[2]), to_tensors(a[3]),
         to_tensors(a[4]), to_tensors(a[5]), s, {FromPython<Tensor>::from(a[13]), FromPython<Tensor>::from(a[14])});
    return Py_NewRef(Py_None);
  });
}

void bind_of_pytorch() {
  bind_adam("_fused_adam_", false);
  bind_adam("_fused_adamw_", true);
  define(
      "_fused_sgd_(Tensor[] input, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float "
      "momentum, Number lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? "
      "grad_scale=None, Tensor? found_inf=None) -> None",
      kFunction,
      [](const TensorList& p, const TensorList& g, const TensorList& buffers, double weight_decay, double momentum,
         const Scalar& lr, double dampening, bool nesterov, bool maximize, bool first, const Tensor& scale,
         const Tensor& found_inf) {
        StepNumbers s;
        s.lr = lr.real;
        s.weight_decay = weight_decay;
        s.beta1 = momentum;
        s.beta2 = dampening;
        s.nesterov = nesterov;
        s.maximize = maximize;
        s.first = first;
        step_all("_fused_sgd_", Optimiser::Sgd, p, g, {&buffers}, {scale, found_inf}, [s](size_t) { return s; });
      });
  define(
      "_fused_adagrad_(Tensor[] input, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, Number lr, float "
      "lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> "
      "None",
      kFunction,
      [](const TensorList& p, const TensorList& g, const TensorList& sums, const TensorList& steps, const Scalar& lr,
         double decay, double weight_decay, double eps, bool maximize, const Tensor& scale, const Tensor& found_inf) {
        check_list("_fused_adagrad_", p.size(), steps.size(), "steps");
        StepNumbers s;
        s.weight_decay = weight_decay;
        s.eps = eps;
        s.maximize = maximize;
        step_all("_fused_adagrad_", Optimiser::Adagrad, p, g, {&sums}, {scale, found_inf}, [=](size_t i) mutable {
          s.lr = lr.real / (1 + (read_number(steps[i]) - 1) * decay);
          return s;
        });
      });
}

void bind_squares() {
  define(
      "_fused_rmsprop_(Tensor[] input, Tensor[] grads, Tensor[] square_avgs, Tensor[] momentum_buffers, Tensor[] "
      "grad_avgs, *, Number lr, float alpha, float eps, float weight_decay, float momentum, bool maximize) -> None",
      kFunction,
      [](const TensorList& p, const TensorList& g, const TensorList& squares, const TensorList& buffers,
         const TensorList& averages, const Scalar& lr, double alpha, double eps, double weight_decay, double momentum,
         bool maximize) {
        StepNumbers s;
        s.lr = lr.real;
        s.beta2 = alpha;
        s.eps = eps;
        s.weight_decay = weight_decay;
        s.beta1 = momentum;
        s.maximize = maximize;
        check_list("_fused_rmsprop_", p.size(), squares.size(), "squares");
        step_all("_fused_rmsprop_", Optimiser::RmsProp, p, g, {&squares, &buffers, &averages}, {},
                 [s](size_t) { return s; });
      });
  define(
      "_fused_adadelta_(Tensor[] input, Tensor[] grads, Tensor[] square_avgs, Tensor[] acc_deltas, *, Number lr, float "
      "rho, float eps, float weight_decay, bool maximize) -> None",
      kFunction,
      [](const TensorList& p, const TensorList& g, const TensorList& squares, const TensorList& deltas,
         const Scalar& lr, double rho, double eps, double weight_decay, bool maximize) {
        StepNumbers s;
        s.lr = lr.real;
        s.beta2 = rho;
        s.eps = eps;
        s.weight_decay = weight_decay;
        s.maximize = maximize;
        check_list("_fused_adadelta_", p.size(), squares.size(), "squares");
        check_list("_fused_adadelta_", p.size(), deltas.size(), "deltas");
        step_all("_fused_adadelta_", Optimiser::Adadelta, p, g, {&squares, &deltas}, {}, [s](size_t) { return s; });
      });
}

// Relatives of Adam: average and squares, or the largest; `steps` already count this step.
template <class Adjust>
void adam_like(const char* name, Optimiser optimiser, const TensorList& p, const TensorList& g,
               const TensorList& averages, const TensorList& squares, const TensorList& steps, StepNumbers s,
               Adjust adjust) {
  check_list(name, p.size(), averages.size(), "averages");
  check_list(name, p.size(), squares.size(), "squares");
  check_list(name, p.size(), steps.size(), "steps");
  step_all(name, optimiser, p, g, {&averages, &squares}, {}, [=](size_t i) mutable {
    double step = read_number(steps[i]);
    correct(s, step);
    adjust(i, step, s);
    return s;
  });
}

StepNumbers adam_numbers(const Scalar& lr, double beta1, double beta2, double eps, double weight_decay, bool decoupled,
                         bool maximize) {
  StepNumbers s;
  s.lr = lr.real;
  s.beta1 = beta1;
  s.beta2 = beta2;
  s.eps = eps;
  s.weight_decay = weight_decay;
  s.decoupled = decoupled;
  s.maximize = maximize;
  return s;
}

// How far the average of squares can be trusted after `step` steps; 0 where it cannot.
double rectification(double step, double beta2) {
  double limit = 2 / (1 - beta2) - 1, power = std::pow(beta2, step), length = limit - 2 * step * power / (1 - power);
  if (length <= 5) return 0;
  return std::sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length));
}

void bind_relatives() {
  define(
      "_fused_adamax_(Tensor[] input, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_infs, Tensor[] state_steps, *, "
      "Number lr, float beta1, float beta2, float eps, float weight_decay, bool maximize) -> None",
      kFunction,
      [](const TensorList& p, const TensorList& g, const TensorList& averages, const TensorList& largest,
         const TensorList& steps, const Scalar& lr, double beta1, double beta2, double eps, double weight_decay,
         bool maximize) {
        adam_like("_fused_adamax_", Optimiser::Adamax, p, g, averages, largest, steps,
                  adam_numbers(lr, beta1, beta2, eps, weight_decay, false, maximize),
                  [](size_t, double, StepNumbers&) {});
      });
  define(
      "_fused_radam_(Tensor[] input, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] state_steps, *, "
      "Number lr, float beta1, float beta2, float eps, float weight_decay, bool decoupled_weight_decay, bool maximize) "
      "-> None",
      kFunction,
      [](const TensorList& p, const TensorList& g, const TensorList& averages, const TensorList& squares,
         const TensorList& steps, const Scalar& lr, double beta1, double beta2, double eps, double weight_decay,
         bool decoupled, bool maximize) {
        adam_like("_fused_radam_", Optimiser::RAdam, p, g, averages, squares, steps,
                  adam_numbers(lr, beta1, beta2, eps, weight_decay, decoupled, maximize),
                  [](size_t, double step, StepNumbers& s) { s.factor = rectification(step, s.beta2); });
      });
  // mu_products: of the momenta of all steps before; each becomes that of this step too, rounded to its dtype.
  define(
      "_fused_nadam_(Tensor[] input, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] mu_products, "
      "Tensor[] state_steps, *, Number lr, float beta1, float beta2, float momentum_decay, float eps, float "
      "weight_decay, bool decoupled_weight_decay, bool maximize) -> None",
      kFunction,
      [](const TensorList& p, const TensorList& g, const TensorList& averages, const TensorList& squares,
         const TensorList& products, const TensorList& steps, const Scalar& lr, double beta1, double beta2,
         double decay, double eps, double weight_decay, bool decoupled, bool maximize) {
        check_list("_fused_nadam_", p.size(), products.size(), "products of momenta");
        adam_like("_fused_nadam_", Optimiser::NAdam, p, g, averages, squares, steps,
                  adam_numbers(lr, beta1, beta2, eps, weight_decay, decoupled, maximize),
                  [products, decay](size_t i, double step, StepNumbers& s) {
                    auto momentum = [&](double t) { return s.beta1 * (1 - 0.5 * std::pow(0.96, t * decay)); };
                    double mu = momentum(step), next = momentum(step + 1);
                    double used = rounded(mu, products[i].dtype());
                    double product = write_number(products[i], read_number(products[i]) * used);
                    s.factor = (1 - mu) / (1 - product);
                    s.factor2 = next / (1 - product * next);
                  });
      });
}

// Optimisers that keep numbers of their own for each parameter, or none.
void bind_others() {
  define(
      "_fused_rprop_(Tensor[] input, Tensor[] grads, Tensor[] prevs, Tensor[] step_sizes, *, float step_size_min, "
      "float step_size_max, float etaminus, float etaplus, bool maximize) -> None",
      kFunction,
      [](const TensorList& p, const TensorList& g, const TensorList& previous, const TensorList& sizes, double least,
         double most, double shrink, double grow, bool maximize) {
        StepNumbers s;
        s.beta1 = shrink;
        s.beta2 = grow;
        s.factor = least;
        s.factor2 = most;
        s.maximize = maximize;
        check_list("_fused_rprop_", p.size(), previous.size(), "last gradients");
        check_list("_fused_rprop_", p.size(), sizes.size(), "steps");
        step_all("_fused_rprop_", Optimiser::Rprop, p, g, {&previous, &sizes}, {}, [s](size_t) { return s; });
      });
  // etas and mus are those of this step, and become those of the next, rounded as PyTorch does on the way: to the
  // default dtype.
  define(
      "_fused_asgd_(Tensor[] input, Tensor[] grads, Tensor[] axs, Tensor[] mus, Tensor[] etas, Tensor[] state_steps, "
      "*, Number lr, float lambd, float alpha, float t0, float weight_decay, bool maximize) -> None",
      kFunction,
      [](const TensorList& p, const TensorList& g, const TensorList& averages, const TensorList& mus,
         const TensorList& etas, const TensorList& steps, const Scalar& lr, double lambd, double alpha, double t0,
         double weight_decay, bool maximize) {
        check_list("_fused_asgd_", p.size(), averages.size(), "averages");
        check_list("_fused_asgd_", p.size(), mus.size(), "mus");
        check_list("_fused_asgd_", p.size(), etas.size(), "etas");
        check_list("_fused_asgd_", p.size(), steps.size(), "steps");
        StepNumbers s;
        s.weight_decay = weight_decay;
        s.maximize = maximize;
        step_all("_fused_asgd_", Optimiser::Asgd, p, g, {&averages}, {}, [=](size_t i) mutable {
          double step = read_number(steps[i]);
          s.lr = read_number(etas[i]);
          s.beta1 = 1 - lambd * s.lr;
          s.factor = read_number(mus[i]);
          write_number(etas[i], rounded(lr.real / std::pow(1 + lambd * lr.real * step, alpha), default_dtype()));
          write_number(mus[i], rounded(1 / std::max(1.0, step - t0), default_dtype()));
          return s;
        });
      });
}

}  // namespace

void bind_optimisers() {
  bind_of_pytorch();
  bind_squares();
  bind_relatives();
  bind_others();
  define("_count_steps_(Tensor[] steps) -> None", kFunction, count_steps);
  define("_total_norm(Tensor[] tensors, float norm_type=2.0)", kFunction, total_norm);
  define("_clip_to_norm_(Tensor[] tensors, float max_norm, float norm_type=2.0)", kFunction, clip_to_norm);
}

}  // namespace chainrule
