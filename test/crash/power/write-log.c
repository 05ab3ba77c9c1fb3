/*
 * Keeps every change that a process makes to its database files, in order, in memory: an LD_PRELOAD library.
 * A file counts when its path ends in one of the endings below. The shared-memory index (-shm) is not among them:
 * SQLite builds it anew from the log.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { KIND_WRITE = 1, KIND_TRUNCATE = 2, KIND_SYNC = 3, KIND_UNLINK = 4 };

struct header {
  uint32_t kind;
  uint32_t name_bytes;
  uint64_t offset;
  uint64_t data_bytes;
};

static const char *const ENDINGS[] = {".db", ".db-wal", ".db-journal"};
enum { MAX_PATH_BYTES = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *entries = NULL;
static uint64_t used = 0;
static uint64_t room = 0;

static int is_watched(const char *path) {
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
    size_t ending = strlen(ENDINGS[i]);
    if (length > ending && strcmp(path + length - ending, ENDINGS[i]) == 0) return 1;
  }
  return 0;
}

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, MAX_PATH_BYTES - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_watched(path);
}

static void append(const void *bytes, uint64_t count) {
  if (used + count > room) {
    room = (used + count) * 2;
    entries = realloc(entries, room);
    if (entries == NULL) abort();
  }
  memcpy(entries + used, bytes, count);
  used += count;
}

static void note(uint32_t kind, const char *path, uint64_t offset, const void *data, uint64_t data_bytes) {
  struct header header = {kind, (uint32_t)strlen(path), offset, data_bytes};
  pthread_mutex_lock(&lock);
  append(&header, sizeof header);
  append(path, header.name_bytes);
  if (data_bytes > 0) append(data, data_bytes);
  pthread_mutex_unlock(&lock);
}

/* What the recorded process asks of its own log. */
uint64_t write_log_bytes(void) { return used; }
void *write_log_data(void) { return entries; }
void write_log_clear(void) { used = 0; }

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static ssize_t noted_write(int fd, const void *data, ssize_t written, off_t offset) {
  char path[MAX_PATH_BYTES];
  if (written > 0 && path_of(fd, path)) note(KIND_WRITE, path, (uint64_t)offset, data, (uint64_t)written);
  return written;
}

ssize_t pwrite(int fd, const void *data, size_t count, off_t offset) {
  static __typeof__(&pwrite) next = NULL;
  if (next == NULL) next = NEXT(pwrite);
  return noted_write(fd, data, next(fd, data, count, offset), offset);
}

ssize_t pwrite64(int fd, const void *data, size_t count, off64_t offset) {
  static __typeof__(&pwrite64) next = NULL;
  if (next == NULL) next = NEXT(pwrite64);
  return noted_write(fd, data, next(fd, data, count, offset), offset);
}

ssize_t write(int fd, const void *data, size_t count) {
  static __typeof__(&write) next = NULL;
  if (next == NULL) next = NEXT(write);
  ssize_t written = next(fd, data, count);
  char path[MAX_PATH_BYTES];
  if (written > 0 && path_of(fd, path)) noted_write(fd, data, written, lseek(fd, 0, SEEK_CUR) - written);
  return written;
}

static int noted_truncate(int fd, int result, off_t length) {
  char path[MAX_PATH_BYTES];
  if (result == 0 && path_of(fd, path)) note(KIND_TRUNCATE, path, (uint64_t)length, NULL, 0);
  return result;
}

int ftruncate(int fd, off_t length) {
  static __typeof__(&ftruncate) next = NULL;
  if (next == NULL) next = NEXT(ftruncate);
  return noted_truncate(fd, next(fd, length), length);
}

int ftruncate64(int fd, off64_t length) {
  static __typeof__(&ftruncate64) next = NULL;
  if (next == NULL) next = NEXT(ftruncate64);
  return noted_truncate(fd, next(fd, length), length);
}

static int noted_sync(int fd, int result) {
  char path[MAX_PATH_BYTES];
  if (result == 0 && path_of(fd, path)) note(KIND_SYNC, path, 0, NULL, 0);
  return result;
}

int fsync(int fd) {
  static __typeof__(&fsync) next = NULL;
  if (next == NULL) next = NEXT(fsync);
  return noted_sync(fd, next(fd));
}

int fdatasync(int fd) {
  static __typeof__(&fdatasync) next = NULL;
  if (next == NULL) next = NEXT(fdatasync);
  return noted_sync(fd, next(fd));
}

int unlink(const char *path) {
  static __typeof__(&unlink) next = NULL;
  if (next == NULL) next = NEXT(unlink);
  int result = next(path);
  if (result == 0 && is_watched(path)) note(KIND_UNLINK, path, 0, NULL, 0);
  return result;
}
