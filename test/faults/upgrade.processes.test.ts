import { expect, test } from 'vitest';
import { commitBefore } from '../../infra/images/upgrade-from.ts';
import { isMissing } from '../support/requirement.ts';
import { ROOT } from '../support/root.ts';
import { runUpgrade, SHARED_BY_RELEASES } from './upgrade.ts';

/** A package of sources has no history, and a shallow clone may end before. */
const from = await commitBefore(ROOT, SHARED_BY_RELEASES).catch(() => undefined);
const hasNone = isMissing('history', from !== undefined, 'git has no commit to upgrade from');

test.skipIf(hasNone)(
  `all that was accepted by the release of before has one end after an upgrade (from ${from})`,
  { timeout: 300_000 },
  async () => {
    const { breaches, inFlight, acceptedByWay, rejected } = await runUpgrade({
      seed: 3,
      from: from ?? '',
      tell: console.info,
    });
    expect(breaches.filter(({ found }) => found.length > 0)).toEqual([]);
    expect(inFlight.job).toBeGreaterThan(0);
    expect(inFlight.batch).toBeGreaterThan(0);
    expect(inFlight.run).toBeGreaterThan(0);
    expect(acceptedByWay).toEqual({ sync: 2 - rejected, job: 6, batch: 12, feed: 12 });
  },
);
