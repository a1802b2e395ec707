import type { Grant } from '../../../src/auth/key-record.ts';
import type { CreatedKey } from '../../../src/auth/keys.ts';
import type { FeedServer } from '../../support/feed-server.ts';
import type { Installation, Member } from '../installation.ts';
import type { Honest } from './honest.ts';
import type { Watch } from './watch.ts';

/** One measured promise: it is kept if `found` is at most `max`. */
export interface Figure {
  promise: string;
  found: number;
  max: number;
  unit: 'ms' | 'MiB' | 'KiB' | 'times';
}

/** What an attack and the honest client beside it have. */
export interface Scene {
  installation: Installation;
  gateway: Member;
  worker: Member;
  /** The honest client; its synchronous calls go on during the attack. */
  honest: Honest;
  /** The honest client's server of pictures and feeds. */
  shop: FeedServer;
  watch: Watch;
  /** The longest `/livez` may take, milliseconds. */
  maxLivezMillis: number;
  /** Resident memory of the gateway before the attack, MiB. */
  idleMib: number;
  /** Creates a key for the attacker: 60 requests a minute and 1,000 images a day unless `limits` say otherwise. */
  attackerKey(limits?: Partial<Grant>): Promise<CreatedKey>;
  /** Returns the amount for the full or the short form. */
  scale(full: number, short: number): number;
  /** Returns what may take 3 times as long as alone, milliseconds. */
  thrice(aloneMillis: number): number;
  /** Aborts when the scenario is called off. */
  signal: AbortSignal;
}

/** One attack beside the honest client. */
export interface Attack {
  name: string;
  /** What the attacker does, in one sentence. */
  does: string;
  /** Settings of gateway and worker that it needs; it then has an installation of its own. */
  settings?: NodeJS.ProcessEnv;
  /** Attacks, and measures what only this attack can break. */
  play(scene: Scene): Promise<Figure[]>;
}
