import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { again, type Fault } from './fault.ts';
import type { Installation, Member } from './installation.ts';

const HOUR_SECONDS = 3600;
/** How long a clock stays wrong; longer than a lock, and than the library's interval of reading its file. */
const WRONG_MILLIS = 8000;

/** Debian's package faketime installs it in the folder of the processor's architecture. */
const findLibrary = (): string | undefined =>
  readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'))
    .find((file) => existsSync(file));

/** A fault of a clock; needs libfaketime (Debian: faketime). */
const clockFault = (
  who: 'worker' | 'gateway',
  how: 'ahead' | 'behind',
  seconds: number,
): Fault => ({
  name: `a ${who}'s clock is an hour ${how} for a while`,
  fits: () => findLibrary() !== undefined,
  play: (installation, random) => jump(random.pick(installation[`${who}s`]), installation, seconds),
});

/** The file with each process's clock. */
const clocks = new WeakMap<Member, string>();

/** Restarts a process with a clock that can be set, unless it has one; resolves with the clock's file. */
async function settableClock(member: Member, home: string): Promise<string> {
  const known = clocks.get(member);
  if (known) return known;
  const file = join(home, `clock-${member.running.pid}`);
  await writeFile(file, '+0');
  Object.assign(member.launch.env, {
    LD_PRELOAD: findLibrary(),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    // Timers continue: a host whose clock is set does not stop.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  });
  clocks.set(member, file);
  await again(member, 'SIGTERM');
  return file;
}

async function jump(member: Member, { home }: Installation, seconds: number): Promise<void> {
  const clock = await settableClock(member, home);
  await writeFile(clock, `${seconds < 0 ? '' : '+'}${seconds}`);
  await pause(WRONG_MILLIS);
  await writeFile(clock, '+0');
}

/** The faults of clocks. */
export const CLOCK_FAULTS: readonly Fault[] = [
  clockFault('worker', 'ahead', HOUR_SECONDS),
  clockFault('worker', 'behind', -HOUR_SECONDS),
  clockFault('gateway', 'ahead', HOUR_SECONDS),
  clockFault('gateway', 'behind', -HOUR_SECONDS),
];
