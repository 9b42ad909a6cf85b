// The Airy function Ai. Computed in double.

// Its Taylor series around the nearest of these points: Ai'' = x Ai gives each coefficient from two before.
inline double airy_series(double x) {
  constexpr int kFirst = -9, kLast = 1;
  constexpr double start[][2] = {
      {-0.022133721547341403674, -0.97566398092633159471},  // Ai and Ai' at -9
      {-0.052705050356386202622, 0.93556093819830655103},  {0.18428083525050563728, -0.77100816841012654773},
      {-0.32914517362982310523, 0.34593548728134289493},   {0.35076100902411431979, 0.32719281855444313679},
      {-0.070265532949289515099, -0.7906285753685813803},  {-0.37881429367765807435, 0.31458376921659881365},
      {0.22740742820168557599, 0.61825902074169104141},    {0.5355608832923521188, -0.010160567116645209395},
      {0.35502805388781723926, -0.25881940379280679841},   {0.13529241631288141552, -0.15914744129679321279}};  // at 1
  double nearest = __builtin_rint(x);
  int at = nearest < kFirst ? kFirst : nearest > kLast ? kLast : int(nearest);
  double h = x - at, before = 0, a = start[at - kFirst][0], b = start[at - kFirst][1], power = h, sum = a + b * h;
  for (int n = 2; n < 28; ++n) {
    double c = (at * a + before) / (n * (n - 1));
    before = a;
    a = b;
    b = c;
    power *= h;
    sum += c * power;
  }
  return sum;
}
// For x far below zero: two expansions in 1 / zeta, times a sine and a cosine.
inline double airy_oscillating(double size) {
  double zeta = 2 * size * sqrt(size) / 3, term = 1, even = 1, odd = 0;
  for (int k = 1; k < 40 && abs(term) > 1e-17; ++k) {
    term *= (6 * k - 5) * (6 * k - 1) / (72 * k * zeta);
    double signed_term = k & 2 ? -term : term;
    (k & 1 ? odd : even) += signed_term;
  }
  double angle = zeta - kPi / 4;
  return (__builtin_cos(angle) * even + __builtin_sin(angle) * odd) / (sqrt(kPi) * sqrt(sqrt(size)));
}
// K of order 1/3, as those of order 0 and 1.
struct BesselKThirdFit {
  static constexpr double far[] = {1.2533141373155003, 18.636608263953033, 102.19671908844593,
                                   263.41395208098413, 337.676897369016,   210.15331574378155,
                                   57.4679348632485,   5.47907957648655,   0.09593480760766739};
  static constexpr double far_under[] = {1.0,
                                         14.939306443983648,
                                         82.54150267411508,
                                         215.38921876971858,
                                         281.8296544949885,
                                         181.6423007584682,
                                         52.86921237294766,
                                         5.692987023350523,
                                         0.13552949730243563};
};
inline double special_airy_ai(double x) {
  if (x != x) return x;
  if (is_infinite(x)) return 0;
  if (x <= -9.5) return airy_oscillating(-x);
  if (x < 1.5) return airy_series(x);
  double zeta = 2 * x * sqrt(x) / 3;
  return sqrt(x / 3) / kPi * scaled_bessel_k<BesselKThirdFit>(zeta) * exp(-zeta);
}
inline float special_airy_ai(float x) { return float(special_airy_ai(double(x))); }
