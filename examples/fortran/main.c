/* Calls the kernel of axpy.rs, and compares its result with a loop. With the argument `wrong` it makes calls that must fail. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* y[i] += a * x[i]; 0, or a status after a message on standard error. */
int spelt_axpy(size_t n, double a, const double *x, double *y);

enum { N = 5000 };

static double x[N], y[N], expected[N];

int main(int count, char **arguments) {
    const double a = 0.3;
    unsigned random = 1;
    for (size_t i = 0; i < N; ++i) {
        random = random * 1664525u + 1013904223u;
        x[i] = random / 4294967296.0;
        y[i] = 1.0 - x[i] * x[i];
        expected[i] = y[i] + a * x[i];
    }
    if (count > 1 && strcmp(arguments[1], "wrong") == 0) {
        printf("%d\n", spelt_axpy(0, a, NULL, NULL));
        printf("%d\n", spelt_axpy(N, a, NULL, y));
        printf("%d\n", spelt_axpy(N, a, x, (double *)((char *)y + 1)));
        printf("%d\n", spelt_axpy((size_t)-1, a, x, y));
        printf("%d\n", spelt_axpy(N - 1, a, y, y + 1));
        return 0;
    }
    if (spelt_axpy(N, a, x, y) != 0) {
        return 1;
    }
    for (size_t i = 0; i < N; ++i) {
        const double difference = y[i] - expected[i];
        if (!(difference < 1e-14 && difference > -1e-14)) {
            fprintf(stderr, "element %zu is %.17g, not %.17g\n", i, y[i], expected[i]);
            return 1;
        }
    }
    puts("PASSED: C and Spelt have the same result");
    return 0;
}
