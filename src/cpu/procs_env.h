/* The environment of a worker. */
#ifndef WEFT_CPU_PROCS_ENV_H
#define WEFT_CPU_PROCS_ENV_H

/* PATH, HOME, LANG, LC_*, TZ, what is listed, and ours; in one block, for weft_free. NULL: no memory. */
char **weft__procs_env(const char *const *listed);
/* The value of name in it; NULL: it is not there. */
const char *weft__env_get(char *const *env, const char *name);
/* Where file is: as it is if it has a slash, otherwise in the PATH of env. */
enum { ENV_PATH = 4096 };
int weft__env_find(char *const *env, const char *file, char path[ENV_PATH]);

#endif
