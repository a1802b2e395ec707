import { SCOPES } from '../../../src/auth/key-record.ts';
import { startFeedServer } from '../../support/feed-server.ts';
import { ROOT } from '../../support/root.ts';
import { startInstallation } from '../installation.ts';
import type { Attack, Figure, Scene } from './attack.ts';
import { bodyMemoryBytes, times } from './figures.ts';
import { createHonest } from './honest.ts';
import { type Lap, startWatch } from './watch.ts';

export interface ArenaSettings {
  /** The form for `npm test`: fewer and smaller requests, and times that a busy machine keeps. */
  isShort: boolean;
  /** The folder of the release that is attacked. */
  release?: string;
  signal: AbortSignal;
}

/** What an attack has shown. */
export interface Result {
  attack: string;
  does: string;
  figures: Figure[];
  seconds: number;
}

/** `/livez` never takes longer in the full form. */
const MAX_LIVEZ_MILLIS = 250;
/** In the short form: a busy machine alone takes so long; 1537 ms were seen beside other tests. */
const SHORT_LIVEZ = { millis: 2500, factor: 10 } as const;
/**
 * Added to three times the time alone: the granularity of polls and ticks. In the short form also what a busy machine
 * takes for the jobs that a worker already has; without turns, a job behind 80 others takes longer on any machine.
 */
const SLACK_MILLIS = { full: 1000, short: 10_000 } as const;
/** The time in which a synchronous call of the honest client is served, with its retries. */
const CALL_MILLIS = 30_000;
const CALM_MILLIS = 1500;

export const isBroken = ({ found, max }: Figure): boolean => found > max;

/** One installation with an honest client, on which attacks are played. */
async function openScene({ isShort, release = ROOT, signal }: ArenaSettings, attack: Attack) {
  const settings = {
    MAX_BODY_MEMORY_BYTES: String(bodyMemoryBytes(isShort)),
    LOG_LEVEL: 'info',
    ...attack.settings,
  };
  const installation = await startInstallation(settings, 'fs', { each: 1, release });
  const shop = await startFeedServer();
  const watch = await startWatch(installation);
  const [gateway] = installation.gateways;
  const [worker] = installation.workers;
  if (!gateway || !worker) throw new Error('a gateway and a worker are needed');
  const { key } = await installation.key('honest');
  const honest = createHonest(gateway.url, key, shop);
  // Loads what is loaded once, and shows the machine as it is without an attack.
  await honest.call(CALL_MILLIS);
  await watch.lap();
  await honest.callUntil(AbortSignal.timeout(CALM_MILLIS), CALL_MILLIS);
  const calm = await watch.lap();
  let attackers = 0;
  const scene: Scene = {
    installation,
    gateway,
    worker,
    honest,
    shop,
    watch,
    signal,
    maxLivezMillis: maxLivez(isShort, calm),
    idleMib: calm.maxMemoryMib,
    attackerKey: (limits) =>
      installation.keys.create({
        client: `attacker-${attackers++}`,
        scopes: [...SCOPES],
        allowBase64: true,
        rate: { count: 60, periodSeconds: 60 },
        quotaPerDay: 1000,
        ...limits,
      }),
    scale: (full, short) => (isShort ? short : full),
    thrice: (aloneMillis) => 3 * aloneMillis + (isShort ? SLACK_MILLIS.short : SLACK_MILLIS.full),
  };
  return {
    scene,
    async close() {
      watch.close();
      await shop.close();
      await installation.stop();
    },
  };
}

const maxLivez = (isShort: boolean, { gateway }: Lap): number =>
  isShort ? Math.max(SHORT_LIVEZ.millis, SHORT_LIVEZ.factor * gateway.maxMillis) : MAX_LIVEZ_MILLIS;

/** Plays an attack while the honest client calls, and measures what it must not lose. */
async function playBeside(attack: Attack, scene: Scene): Promise<Figure[]> {
  const { honest } = scene;
  honest.takeCalls();
  const before = { used: await honest.quotaUsed(), units: honest.units() };
  const over = new AbortController();
  const calling = honest.callUntil(over.signal, CALL_MILLIS);
  const figures = await attack.play(scene).finally(() => over.abort());
  await calling;
  const { served, notServed, retried, unanswered, slowestMillis } = honest.takeCalls();
  const used = (await honest.quotaUsed()) - before.used;
  const succeeded = honest.units() - before.units;
  return [
    ...figures,
    times(
      `not served to the honest client (${served} calls served, ${retried} rejections, slowest ${slowestMillis} ms)`,
      notServed,
      0,
    ),
    times('quota the honest client lost', Math.max(0, used - succeeded), unanswered),
  ];
}

/**
 * Creates what attacks are played in. They share an installation unless one has settings of its own. An attack that
 * broke a promise may still be at work, so the next one gets another.
 */
export function createArena(settings: ArenaSettings) {
  let opening: ReturnType<typeof openScene> | undefined;

  async function close(): Promise<void> {
    const opened = await opening?.catch(() => undefined);
    opening = undefined;
    await opened?.close();
  }

  return {
    close,
    async play(attack: Attack): Promise<Result> {
      const startedAt = performance.now();
      if (attack.settings) await close();
      opening ??= openScene(settings, attack);
      const { scene } = await opening;
      const figures = await playBeside(attack, scene).catch(async (error) => {
        await close();
        throw error;
      });
      if (attack.settings || figures.some(isBroken)) await close();
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      return { attack: attack.name, does: attack.does, figures, seconds };
    },
  };
}
