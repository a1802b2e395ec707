import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Verdict } from '../../src/output/rules/verdicts.ts';
import { createRandom } from '../../test/faults/random.ts';
import type { Engine } from '../../workers/inference/pool.ts';
import { canvasFor, jpeg, RIGHT_FILL, rightPicture } from './drawing.ts';
import { FAULTS, onColour } from './faults.ts';
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

/** Judges pictures without a fault: on white as they are, and cut out of a coloured ground. */
export async function measureClean(run: Run): Promise<void> {
  const random = createRandom(11);
  const alarms = new Map<string, number>();
  const measured = new Map<string, unknown[]>();
  let pictures = 0;
  const note = (verdicts: readonly Verdict[]) => {
    pictures++;
    for (const { id, passed, measured: value } of verdicts) {
      measured.set(id, [...(measured.get(id) ?? []), value]);
      if (!passed) alarms.set(id, (alarms.get(id) ?? 0) + 1);
    }
  };
  for (const [i, subject] of run.subjects.entries()) {
    const canvas = canvasFor(subject, RIGHT_FILL);
    const file = await jpeg(await rightPicture(subject));
    const plain = await judge(run.engine, subject, { file, canvas });
    note(plain.byNetwork);
    const colour = { ...(await onColour(subject, random)), widenedBy: 0 };
    const cutOut = await judge(run.engine, subject, colour);
    // The subject of such a photo is small on purpose.
    note(cutOut.byNetwork.filter(({ id }) => id !== 'fill-ratio'));
    for (const [kind, judged] of Object.entries({ plain, cutOut })) {
      const left = failed(judged.byNetwork).filter((id) => kind === 'plain' || id !== 'fill-ratio');
      if (left.length > 0) await keep(run, `clean-${i}-${kind}-${left.join('+')}`, judged);
    }
  }
  console.log(`\nfalse alarms in ${pictures} pictures without a fault`);
  for (const [id, values] of measured)
    console.log(`${id.padEnd(20)}${String(alarms.get(id) ?? 0).padEnd(6)}${spreadOf(values)}`);
}
