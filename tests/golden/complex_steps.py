"""What the scripts that differentiate by complex steps share.

With a tiny h, the imaginary part of f(x + ih) / h is the derivative to the last digit, since
nothing is subtracted. The functions take numbers with a tiny imaginary part, too.
"""

import math

import numpy as np

STEP = 1e-30


def erf(z):
    """The error function, also of numbers with a tiny imaginary part."""
    x = np.real(z)
    y = np.vectorize(math.erf, otypes=[float])(x)
    return y + 1j * np.imag(z) * np.exp(-x * x) * (2 / math.sqrt(math.pi))


def gelu(x):
    return x * (1 + erf(x / math.sqrt(2))) / 2


def gelu_by_tanh(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) / 2


def silu(x):
    return x / (1 + np.exp(-x))
