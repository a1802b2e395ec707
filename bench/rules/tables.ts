import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom, type Random } from '../../test/faults/random.ts';
import type { Engine } from '../../workers/inference/pool.ts';
import { canvasFor, jpeg, RIGHT_FILL, rightPicture } from './drawing.ts';
import { FAULTS, onColour, type Planted } from './faults.ts';
import { failed, type Judged, judge, measuredOf } from './judge.ts';
import type { Subject } from './subject.ts';

/** What is measured, and with what. */
export interface Run {
  /** Undefined if the reference mattes are used instead of the network's. */
  engine: Engine | undefined;
  subjects: readonly Subject[];
  count: number;
  /** The only fault that is planted; all if absent. */
  fault: string | undefined;
  /** Where pictures are written to look at; none if absent. */
  out: string | undefined;
}

async function keep({ out }: Run, name: string, { files }: Judged): Promise<void> {
  if (!out) return;
  await mkdir(out, { recursive: true });
  await writeFile(join(out, `${name}-before.jpg`), files.before);
  await writeFile(join(out, `${name}-after.jpg`), files.after);
}

const spreadOf = (values: readonly unknown[]): string => {
  const sorted = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toPrecision(3);
  return [at(0), at(0.02), at(0.5), at(0.98), at(1)].join(' ');
};

/** Plants faults and prints which are found, and which are made right. */
export async function measureFaults(run: Run): Promise<void> {
  console.log(
    "\nfault               found     by network's mask  passes after fix   measured: min, 2 %, median, 98 %, max",
  );
  const faults = FAULTS.filter(({ name }) => run.fault === undefined || name === run.fault);
  for (const { name, rule, isFixable, plant } of faults) {
    const random = createRandom(7);
    let found = 0;
    let foundByNetwork = 0;
    let fixed = 0;
    const measured: unknown[] = [];
    const stillFailed: string[] = [];
    for (let i = 0; i < run.count; i++) {
      const subject = run.subjects[i % run.subjects.length]!;
      const judged = await judge(run.engine, subject, await plant(subject, random));
      const isFound = failed(judged.before).includes(rule);
      if (failed(judged.byNetwork).includes(rule)) foundByNetwork++;
      const left = failed(judged.after);
      if (isFound) found++;
      if (left.length === 0) fixed++;
      else stillFailed.push(...left);
      measured.push(measuredOf(judged.before, rule));
      const mark = `${isFound ? 'found' : 'MISSED'}-${left.length === 0 ? 'fixed' : left.join('+')}`;
      await keep(run, `${name.replaceAll(/\W+/g, '-')}-${i}-${mark}`, judged);
    }
    const after = isFixable ? `${fixed} of ${run.count}` : '-';
    const note = isFixable && stillFailed.length > 0 ? `  left: ${stillFailed.join(', ')}` : '';
    console.log(
      `${name.padEnd(20)}${`${found} of ${run.count}`.padEnd(10)}${String(foundByNetwork).padEnd(19)}${after.padEnd(19)}${spreadOf(measured)}${note}`,
    );
  }
}

/** Returns a picture without a fault in each way in which it is judged. */
async function cleanPictures(subject: Subject, random: Random): Promise<Record<string, Planted>> {
  const white = {
    file: await jpeg(await rightPicture(subject)),
    canvas: canvasFor(subject, RIGHT_FILL),
  };
  return {
    'as it is': white,
    'cut out of white': { ...white, widenedBy: 0 },
    'cut out of a colour': { ...(await onColour(subject, random)), widenedBy: 0 },
  };
}

/** What a rule said of pictures without a fault. */
interface CleanTally {
  values: unknown[];
  /** By the way in which they were judged. */
  alarms: Map<string, number>;
}

/** Judges pictures without a fault, and prints the false alarms. */
export async function measureClean(run: Run): Promise<void> {
  const random = createRandom(11);
  const tallies = new Map<string, CleanTally>();
  const kinds = new Set<string>();
  for (const [i, subject] of run.subjects.entries())
    for (const [kind, picture] of Object.entries(await cleanPictures(subject, random))) {
      kinds.add(kind);
      const judged = await judge(run.engine, subject, picture);
      // The subject on a colour is small on purpose.
      const verdicts = judged.byNetwork.filter(
        ({ id }) => id !== 'fill-ratio' || kind !== 'cut out of a colour',
      );
      for (const { id, passed, measured } of verdicts) {
        const { values, alarms } = tallies.get(id) ?? { values: [], alarms: new Map() };
        tallies.set(id, { values: [...values, measured], alarms });
        if (!passed) alarms.set(kind, (alarms.get(kind) ?? 0) + 1);
      }
      const left = failed(verdicts);
      if (left.length > 0) await keep(run, `clean-${i}-${kind}-${left.join('+')}`, judged);
    }
  const columns = [...kinds].map((kind) => kind.padEnd(20)).join('');
  console.log(`\nfalse alarms in ${run.subjects.length} pictures without a fault\n`);
  console.log(`${''.padEnd(20)}${columns}measured: min, 2 %, median, 98 %, max`);
  for (const [id, { values, alarms }] of tallies) {
    const counts = [...kinds].map((kind) => String(alarms.get(kind) ?? 0).padEnd(20)).join('');
    console.log(`${id.padEnd(20)}${counts}${spreadOf(values)}`);
  }
}
