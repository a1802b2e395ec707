import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/platform/clock.ts';
import { FetchError, type FetchErrorReason } from '../../src/platform/links/fetch-error.ts';
import { PoolBusy } from './fetch-pool.ts';

/** When a host counts as down: after so many links have failed and none has succeeded, over so long a time. */
const DOWN_AFTER = { links: 4, millis: 5000 } as const;
/** One that says that it is asked too often still works. */
const TOO_OFTEN_AFTER = { links: 20, millis: 60_000 } as const;
/** How long it is not asked then; doubled each time that it fails again. */
const DOWN_MILLIS = { first: 30_000, max: 600_000 } as const;
/** A longer wait for a host is spent in the queue. */
const MAX_WAIT_MILLIS = 5000;
const MAX_RETRY_AFTER_MILLIS = 120_000;
/** Between two requests to a host that has said that they are too many. */
const GAP_MILLIS = { first: 125, max: 5000, none: 20 } as const;
const MAX_HOSTS = 10_000;

const TOO_MANY_REQUESTS = 429;
/** Failures of the host rather than of one file. */
const HOST_REASONS: readonly FetchErrorReason[] = ['dns', 'connect', 'tls', 'timeout', 'too-slow'];

const isHostFailure = ({ reason, status = 0 }: FetchError): boolean =>
  HOST_REASONS.includes(reason) || status >= 500 || status === TOO_MANY_REQUESTS;

class Host {
  /** Links that failed since one succeeded. */
  readonly failing = new Set<string>();
  /** When the request began that failed first. */
  failingSince = 0;
  downUntil = 0;
  downMillis = 0;
  /** The next request starts no sooner. */
  notBefore = 0;
  gapMillis = 0;
}

/** With its port: what answers there is one server. */
const hostOf = (link: string): string => (URL.canParse(link) ? new URL(link).host : '');

/**
 * Whether the hosts of images answer, as one process sees it: one that is down is asked once in a while only, and one
 * that says that it is asked too often is asked more slowly.
 */
export class HostHealth {
  readonly #hosts = new Map<string, Host>();
  readonly #now: Clock;

  constructor(now: Clock) {
    this.#now = now;
  }

  #known(name: string): Host {
    const host = this.#hosts.get(name) ?? new Host();
    this.#hosts.delete(name); // to the end: the least used one is forgotten first
    this.#hosts.set(name, host);
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > MAX_HOSTS && oldest !== undefined) this.#hosts.delete(oldest);
    return host;
  }

  /** @throws FetchError `host-down` */
  #checkUp(host: Host): void {
    if (host.downUntil > this.#now()) throw new FetchError('host-down');
  }

  /** Waits until a host may be asked. @throws FetchError `host-down`; PoolBusy if it takes long */
  async turn(link: string, signal: AbortSignal): Promise<void> {
    const host = this.#known(hostOf(link));
    this.#checkUp(host);
    const now = this.#now();
    const waitMillis = host.notBefore - now;
    if (waitMillis > MAX_WAIT_MILLIS) throw new PoolBusy();
    host.notBefore = Math.max(now, host.notBefore) + host.gapMillis;
    if (waitMillis > 0) await sleep(waitMillis, undefined, { signal });
  }

  /**
   * Runs a request to a host and learns from its outcome.
   * @throws FetchError `host-down`; PoolBusy if the host is asked too often
   */
  async ask<T>(link: string, request: () => Promise<T>): Promise<T> {
    const host = this.#known(hostOf(link));
    this.#checkUp(host);
    // If it was down, this request finds out whether it is back; others do not wait for the outcome.
    if (host.downMillis > 0) host.downUntil = this.#now() + host.downMillis;
    const startedAt = this.#now();
    try {
      const answer = await request();
      this.#succeed(host);
      return answer;
    } catch (error) {
      if (error instanceof FetchError) this.#learn(host, link, error, startedAt);
      throw error;
    }
  }

  #succeed(host: Host): void {
    const gapMillis = host.gapMillis * 0.9;
    host.failing.clear();
    Object.assign(host, { downUntil: 0, downMillis: 0 });
    host.gapMillis = gapMillis < GAP_MILLIS.none ? 0 : gapMillis;
  }

  #learn(host: Host, link: string, error: FetchError, startedAt: number): void {
    if (error.reason === 'aborted' || error.reason === 'host-down') return;
    if (!isHostFailure(error)) {
      this.#succeed(host);
      return;
    }
    const now = this.#now();
    const isTooOften = error.status === TOO_MANY_REQUESTS;
    if (host.failing.size === 0) host.failingSince = startedAt;
    if (host.failing.size < TOO_OFTEN_AFTER.links) host.failing.add(link);
    const pause = Math.min(error.retryAfterMillis(now), MAX_RETRY_AFTER_MILLIS);
    host.notBefore = Math.max(host.notBefore, now + pause);
    if (isTooOften)
      host.gapMillis = Math.min(Math.max(host.gapMillis * 2, GAP_MILLIS.first), GAP_MILLIS.max);
    const limit = isTooOften ? TOO_OFTEN_AFTER : DOWN_AFTER;
    if (host.failing.size >= limit.links && now - host.failingSince >= limit.millis) {
      host.downMillis = Math.min(Math.max(host.downMillis * 2, DOWN_MILLIS.first), DOWN_MILLIS.max);
      host.downUntil = now + host.downMillis;
    } else if (isTooOften) throw new PoolBusy(); // comes back, without counting as an attempt
  }
}
