import { setTimeout as pause } from 'node:timers/promises';
import { readInstallationIds, warnOfMismatch } from '../../src/intake/installation.ts';
import { copyKeys } from '../../src/intake/key-copies.ts';
import { Lease } from '../../src/intake/leases.ts';
import {
  type RecoveryState,
  readIdentity,
  readRecoveryState,
  writeRecoveryState,
} from '../../src/intake/recovery-state.ts';
import { PREFIX } from '../../src/platform/redis.ts';
import type { Services } from '../../src/services.ts';
import { CONCURRENCY, type Counts, type Pass, rebuildAll, rebuildAndAdopt } from './rebuild.ts';
import { openRebuilders } from './rebuilders.ts';

const LEASE = `${PREFIX}:recovery-lease`;
const LEASE_MILLIS = 30_000;
/** Clocks of hosts and of storage differ, and a write may take long. */
const MARGIN_MILLIS = 60_000;
/** How many records were restored, and how many manifests could not be read. */
type Recovered = Pick<RecoveryState, 'restored' | 'unreadable'>;

/**
 * Compares the records in Redis with object storage whenever Redis has started again, has been replaced, or has lost
 * all its data: an append-only file may end two seconds before a power cut, and a replica may be behind. First comes
 * what was written around that time, at once; then everything, at half speed. One worker does it.
 */
export class AutomaticRecovery {
  readonly #services: Services;
  readonly #onRecovered: (more: Recovered) => void;
  readonly #lease;
  #isRunning = false;

  /** @param onRecovered called after each page with what it adds */
  constructor(services: Services, onRecovered: (more: Recovered) => void = () => {}) {
    this.#services = services;
    this.#onRecovered = onRecovered;
    this.#lease = new Lease(services.redis, LEASE);
  }

  /** Finds out whether there is something to recover, and does it. Returns how many records it has restored. */
  async run(signal: AbortSignal): Promise<number> {
    const { redis, now } = this.#services;
    if (this.#isRunning) return 0;
    const [identity, state] = await Promise.all([readIdentity(redis), readRecoveryState(redis)]);
    if (state.identity === identity && state.phase === 'idle') {
      await writeRecoveryState(redis, { seenAtMillis: now() });
      return 0;
    }
    this.#isRunning = true;
    try {
      if (!(await this.#lease.acquire(LEASE_MILLIS))) return 0;
      // Without it another worker may do the same, which changes nothing.
      const recover = () => this.#recover(identity, state, signal);
      return await this.#lease.whileHeld(LEASE_MILLIS, recover);
    } finally {
      this.#isRunning = false;
    }
  }

  async #recover(identity: string, before: RecoveryState, signal: AbortSignal): Promise<number> {
    const { redis, blobs, log, now } = this.#services;
    const { inRedis, inStorage } = await readInstallationIds(redis, blobs);
    const isEmptied = inRedis === undefined && inStorage !== undefined;
    if (!isEmptied && inRedis !== inStorage) {
      warnOfMismatch(log);
      await writeRecoveryState(redis, { identity, phase: 'idle' });
      return 0;
    }
    const total: Recovered = { restored: 0, unreadable: 0 };
    if (isEmptied) {
      log.warn('Redis has lost its data: restoring it from object storage');
      await writeRecoveryState(redis, { identity, phase: 'whole' });
      await this.#walk('whole', rebuildAndAdopt, {}, total, signal);
    } else {
      if (before.identity !== undefined && before.identity !== identity) {
        log.info('Redis has started again: looking for what it has lost');
        const sinceMillis = (before.seenAtMillis ?? 0) - MARGIN_MILLIS;
        await this.#walk('recent', rebuildAll, { sinceMillis, isThorough: true }, total, signal);
      }
      await writeRecoveryState(redis, { identity, seenAtMillis: now(), phase: 'whole' });
      await this.#walk('whole', rebuildAll, { isPaced: true }, total, signal);
    }
    await copyKeys(redis, blobs, signal);
    // Without the identity, which was written before: if Redis loses its data meanwhile, the next run restores it.
    await writeRecoveryState(redis, { seenAtMillis: now(), phase: 'idle' });
    return total.restored;
  }

  /**
   * Restores records.
   * @param isPaced whether to pause after each page for as long as it took
   * @param total what this adds to
   */
  async #walk(
    phase: 'recent' | 'whole',
    walk: typeof rebuildAll,
    { isPaced = false, ...which }: Omit<Pass, 'concurrency'> & { isPaced?: boolean },
    total: Recovered,
    signal: AbortSignal,
  ): Promise<void> {
    const { redis, log } = this.#services;
    const startedAt = performance.now();
    let pageAt = startedAt;
    const told = new Map<string, Counts>();
    const onPage = async (name: string, counts: Counts): Promise<void> => {
      const before = told.get(name);
      told.set(name, { ...counts });
      const restored = counts.rebuilt - (before?.rebuilt ?? 0);
      const unreadable = counts.unknown - (before?.unknown ?? 0);
      total.restored += restored;
      total.unreadable += unreadable;
      this.#onRecovered({ restored, unreadable });
      await writeRecoveryState(redis, { ...total });
      if (isPaced) await pause(performance.now() - pageAt, undefined, { signal });
      pageAt = performance.now();
    };
    await writeRecoveryState(redis, { phase, ...total });
    const pass = { ...which, concurrency: CONCURRENCY, onPage };
    const counts = await walk(openRebuilders(this.#services), this.#services, pass, signal);
    const level = total.restored + total.unreadable > 0 ? 'warn' : 'info';
    const millis = Math.round(performance.now() - startedAt);
    log[level]({ phase, counts, millis }, 'records were compared with object storage');
  }
}
