/* Makes each fsync and fdatasync of a process take longer, as on a busy or cheap disk.
 *   cc -shared -fPIC -o slow-sync.so slow-sync.c -ldl
 *   SLOW_SYNC_FILE=/path/to/ms LD_PRELOAD=/path/to/slow-sync.so node ...
 * The file holds the milliseconds to wait. It is read at each call, so the delay can change while the process runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int (*Sync)(int);

static long delay_ms(void) {
  const char *name = getenv("SLOW_SYNC_FILE");
  FILE *file = name == NULL ? NULL : fopen(name, "r");
  long ms = 0;
  if (file == NULL) return 0;
  if (fscanf(file, "%ld", &ms) != 1) ms = 0;
  fclose(file);
  return ms;
}

static int slowly(const char *name, int descriptor) {
  Sync sync = (Sync)dlsym(RTLD_NEXT, name);
  long ms = delay_ms();
  struct timespec pause = {ms / 1000, (ms % 1000) * 1000000L};
  if (ms > 0) nanosleep(&pause, NULL);
  return sync(descriptor);
}

int fsync(int descriptor) { return slowly("fsync", descriptor); }
int fdatasync(int descriptor) { return slowly("fdatasync", descriptor); }
