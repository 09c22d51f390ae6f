// Special functions of real numbers in double precision, from which the float ones are rounded.
#pragma once

namespace penstock::kernels {

// NaN outside the domain, as in TensorFlow. All are thread-safe.
double lgamma(double x);
double digamma(double x);
double erfinv(double x);
double ndtri(double p);  // the quantile of the standard normal distribution
double dawsn(double x);
double expint(double x);  // the exponential integral Ei
double fresnel_cos(double x);
double fresnel_sin(double x);
double spence(double x);  // the dilogarithm of 1 - x

// Modified Bessel functions; the `e` ones times e^-|x| (I) or e^x (K).
double bessel_i0(double x);
double bessel_i0e(double x);
double bessel_i1(double x);
double bessel_i1e(double x);
double bessel_k0(double x);
double bessel_k0e(double x);
double bessel_k1(double x);
double bessel_k1e(double x);
// Bessel functions of the first and the second kind.
double bessel_j0(double x);
double bessel_j1(double x);
double bessel_y0(double x);
double bessel_y1(double x);

// The regularised incomplete gamma function, its complement, and its derivative by a.
double igamma(double a, double x);
double igammac(double a, double x);
double igamma_grad_a(double a, double x);
// The derivative of a gamma-distributed sample of shape `alpha` by alpha.
double random_gamma_grad(double alpha, double sample);
double zeta(double x, double q);       // Hurwitz's: the sum of (k + q)^-x
double polygamma(double a, double x);  // the a-th derivative of digamma
// The regularised incomplete beta function.
double betainc(double a, double b, double x);

}  // namespace penstock::kernels
