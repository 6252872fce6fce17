import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Slows down opens below a folder for every process that loads it. */
const LIBRARY = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void delay(const char *path) {
  const char *folder = getenv("NEGATO_SLOW_FOLDER"), *us = getenv("NEGATO_SLOW_US");
  if (folder && us && strncmp(path, folder, strlen(folder)) == 0) usleep(atoi(us));
}
#define OPEN(name) \\
  int name(const char *path, int flags, ...) { \\
    va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \\
    delay(path); \\
    return ((int (*)(const char *, int, int))dlsym(RTLD_NEXT, #name))(path, flags, mode); \\
  }
#define OPENAT(name) \\
  int name(int at, const char *path, int flags, ...) { \\
    va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \\
    delay(path); \\
    return ((int (*)(int, const char *, int, int))dlsym(RTLD_NEXT, #name))(at, path, flags, mode); \\
  }
#define FOPEN(name) \\
  FILE *name(const char *path, const char *mode) { \\
    delay(path); \\
    return ((FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, #name))(path, mode); \\
  }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64) FOPEN(fopen) FOPEN(fopen64)
`;

type SlowOpens = { readonly workFolder: string; readonly slowFolder: string; readonly delayMs: number };

/**
 * The environment of a process for which files of a folder open slowly, as on a network disk; undefined without a
 * compiler.
 */
export function buildSlowOpens({ workFolder, slowFolder, delayMs }: SlowOpens): NodeJS.ProcessEnv | undefined {
  const [source, library] = [join(workFolder, 'slowOpens.c'), join(workFolder, 'slowOpens.so')];
  writeFileSync(source, LIBRARY);
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  if (status !== 0) return undefined;
  return { LD_PRELOAD: library, NEGATO_SLOW_FOLDER: slowFolder, NEGATO_SLOW_US: String(delayMs * 1000) };
}
