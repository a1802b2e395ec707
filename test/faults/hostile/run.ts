import { compileRelease, type Release } from '../releases.ts';
import { aborted } from '../stage.ts';
import { createArena, isBroken, type Result } from './arena.ts';
import type { Figure } from './attack.ts';
import { ATTACKS } from './attacks.ts';

interface Settings {
  isShort: boolean;
  /** Only attacks whose names contain this. */
  only: string;
  /** An earlier commit that is attacked first, for comparison. */
  earlier: string | undefined;
  signal: AbortSignal;
  tell(line: string): void;
}

/** What the attacks did to this tree, and to an earlier commit. */
export interface HostileOutcome {
  results: Result[];
  earlier?: Result[];
}

const sentence = ({ promise, found, max, unit }: Figure): string =>
  `${promise}: ${found} ${unit}, at most ${max} is promised`;

/** Returns a sentence for each broken promise. */
export const brokenPromises = ({ results }: HostileOutcome): string[] =>
  results.flatMap(({ attack, figures }) =>
    figures.filter(isBroken).map((figure) => `${attack}: ${sentence(figure)}`),
  );

async function attackAll(settings: Settings, release?: Release): Promise<Result[]> {
  const { isShort, only, signal, tell } = settings;
  const arena = createArena({ isShort, signal, ...(release && { release: release.folder }) });
  const chosen = ATTACKS.filter(({ name }) => name.includes(only));
  const results: Result[] = [];
  try {
    for (const attack of chosen) {
      signal.throwIfAborted();
      const result = await Promise.race([arena.play(attack), aborted(signal)]);
      results.push(result);
      tell(`${attack.name}, ${result.seconds} s`);
      for (const figure of result.figures)
        tell(`  ${isBroken(figure) ? 'broken' : 'kept'}: ${sentence(figure)}`);
    }
    return results;
  } finally {
    await arena.close();
  }
}

/** Plays every attack beside an honest client. */
export async function runHostile(settings: Settings): Promise<HostileOutcome> {
  const { earlier, tell } = settings;
  if (earlier === undefined) return { results: await attackAll(settings) };
  const release = compileRelease(earlier);
  try {
    tell(`with ${earlier}`);
    const before = await attackAll(settings, release);
    tell('with this tree');
    return { results: await attackAll(settings), earlier: before };
  } finally {
    release.remove();
  }
}

/** The figures as a table, with those of the earlier commit beside them. */
export function hostileTable({ results, earlier }: HostileOutcome): string {
  const head = [
    'attack',
    'promise',
    ...(earlier ? ['earlier'] : []),
    'found',
    'at most',
    'unit',
    '',
  ];
  const rows = results.flatMap(({ attack, figures }, i) =>
    figures.map((figure, at) => [
      attack,
      figure.promise,
      ...(earlier ? [earlier[i]?.figures[at]?.found ?? ''] : []),
      figure.found,
      figure.max,
      figure.unit,
      isBroken(figure) ? 'broken' : 'kept',
    ]),
  );
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
