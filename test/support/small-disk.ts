import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;

/** A small disk of one test. */
export interface SmallDisk {
  path: string;
  /** Fills it to the last byte; writes fail until `free`. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Makes it read-only; fails while a file is open for writing. */
  lock(): void;
  remove(): Promise<void>;
}

/** Mounts a disk in memory; returns undefined if this process may not. */
export function mountSmallDisk(bytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'selvage-disk-'));
  const filler = join(path, 'filler');
  const isMounted = mount('-t', 'tmpfs', '-o', `size=${bytes},mode=755`, 'selvage', path);
  const remove = async () => {
    if (isMounted) spawnSync('umount', ['--lazy', path]);
    await rm(path, { recursive: true, force: true });
  };
  if (!isMounted) {
    void remove();
    return undefined;
  }
  return {
    path,
    async fill() {
      const file = await open(filler, 'a');
      try {
        const page = Buffer.alloc(4096, 1);
        for (;;) await file.appendFile(page);
      } catch (error) {
        const { bavail } = await statfs(path);
        if (bavail > 0) throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler),
    lock() {
      if (!mount('-o', 'remount,ro', path)) throw new Error('the disk is in use');
    },
    remove,
  };
}
