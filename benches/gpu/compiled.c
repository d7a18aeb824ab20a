// Gives the driver kernels that were compiled at home, in place of compiling the program's PTX: a library for LD_PRELOAD.
//
//   SPELT_COMPILED    the folder that `compile` filled
//   SPELT_LOADS       a file to which each load of a module adds a line: kind, milliseconds, name
//
// The program stays as it is. Its PTX says which file belongs to it, and the registers that the program asks for say which variant;
// where there is no such file, the driver compiles the PTX.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_REGISTERS = 0 }; // CU_JIT_MAX_REGISTERS of cuda.h

typedef void *Lookup(void *library, const char *name);
typedef int Load(void **module, const void *image, unsigned count, int *options, void **values);

static Lookup *lookup;
static Load *driver_load;

static void find_lookup(void) {
    lookup = (Lookup *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (lookup == NULL) lookup = (Lookup *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    if (lookup == NULL) abort();
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

// The content of a file, and a zero after it, or null. A file of PTX is as good for the driver.
static char *content(const char *path) {
    FILE *file = fopen(path, "rb");
    char *all = NULL;
    if (file == NULL) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        all = size > 0 ? calloc(1, (size_t)size + 1) : NULL;
        if (all != NULL && fread(all, 1, (size_t)size, file) != (size_t)size) {
            free(all);
            all = NULL;
        }
    }
    fclose(file);
    return all;
}

static int load(void **module, const void *image, unsigned count, int *options, void **values) {
    static const char mark[] = "// cargo-spelt slot ";
    const char *folder = getenv("SPELT_COMPILED"), *log = getenv("SPELT_LOADS"), *text = image;
    char name[512] = "?", path[4096];
    char *compiled = NULL;
    if (strncmp(text, mark, sizeof mark - 1) == 0) {
        text += sizeof mark - 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "\n"), text);
        for (unsigned i = 0; i < count; i++) {
            if (options[i] == MAX_REGISTERS)
                snprintf(name + strlen(name), sizeof name - strlen(name), ".%u", (unsigned)(uintptr_t)values[i]);
        }
        snprintf(path, sizeof path, "%s/%s.cubin", folder == NULL ? "" : folder, name);
        if (folder != NULL) compiled = content(path);
    }
    double begin = milliseconds();
    // The driver copies the image.
    int status = driver_load(module, compiled == NULL ? image : compiled, count, options, values);
    FILE *lines = log == NULL ? NULL : fopen(log, "a");
    if (lines != NULL) {
        const char *kind = compiled == NULL ? "by the driver" : "at home";
        fprintf(lines, "%s\t%.0f\t%s%s\n", kind, milliseconds() - begin, name, status == 0 ? "" : "\trefused");
        fclose(lines);
    }
    free(compiled);
    return status;
}

// In place of the C library's: programs look the driver's functions up by name. The call is the last of the function, so that the
// C library sees the caller, which it asks for some lookups.
void *dlsym(void *restrict library, const char *restrict name) {
    if (lookup == NULL) find_lookup();
    if (strcmp(name, "cuModuleLoadDataEx") == 0) {
        driver_load = (Load *)lookup(library, name);
        return driver_load == NULL ? NULL : (void *)load;
    }
    return lookup(library, name);
}
