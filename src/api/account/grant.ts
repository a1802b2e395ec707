import { isDeepStrictEqual } from 'node:util';
import { type KeyRecord, rightsOf } from '../../auth/key-record.ts';
import { Problem, type ValidationIssue } from '../../platform/problem.ts';

type Granted = Omit<KeyRecord, 'id' | 'prefix' | 'meter' | 'createdAt'>;

const perSecond = ({ rate }: Granted): number => rate.count / rate.periodSeconds;
const isAmong = (some: readonly string[], all: readonly string[]): boolean =>
  some.every((each) => all.includes(each));

/** What a key may not hold more of than the key that makes it: member -> whether it holds no more. */
const RULES: Readonly<Record<string, (own: Granted, other: Granted) => boolean>> = {
  test: (own, other) => !own.test || other.test === true,
  scopes: (own, other) => isAmong(other.scopes, own.scopes),
  intake: (own, other) => isAmong(rightsOf(other), rightsOf(own)),
  allowBase64: (own, other) => own.allowBase64 || !other.allowBase64,
  rate: (own, other) =>
    other.rate.count <= own.rate.count && perSecond(other) <= perSecond(own) + 1e-9,
  quotaPerDay: (own, other) => other.quotaPerDay <= own.quotaPerDay,
  bytesPerDay: (own, other) => other.bytesPerDay <= own.bytesPerDay,
  weight: (own, other) => other.weight <= own.weight,
  maxFeeds: (own, other) => other.maxFeeds <= own.maxFeeds,
  feedIntervalSeconds: (own, other) => other.feedIntervalSeconds >= own.feedIntervalSeconds,
  retention: (own, other) => !own.retention || isDeepStrictEqual(other.retention, own.retention),
};

/**
 * Checks that a key holds all that another has, or is to have: else it would give away what it lacks.
 * @throws Problem insufficient-scope, with what the other holds more of
 */
export function requireCovered(own: Granted, other: Granted): void {
  const errors: ValidationIssue[] = Object.entries(RULES)
    .filter(([, holdsNoMore]) => !holdsNoMore(own, other))
    .map(([name]) => ({ pointer: `/${name}`, detail: 'is more than this key has' }));
  if (errors.length === 0) return;
  const detail = `Use a key that holds as much itself: this one has less ${errors.map(({ pointer }) => pointer.slice(1)).join(', ')}`;
  throw new Problem('insufficient-scope', detail, { errors });
}
