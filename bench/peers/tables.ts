import { markdownTable } from '../markdown.ts';
import type { Quality, Tally } from './tally.ts';

const mean = (values: readonly number[]): number =>
  values.reduce((a, b) => a + b, 0) / values.length;

/** A figure, and how many times that of the peer it is. */
const beside = (value: number, peer: number, digits: number): string =>
  `${value.toFixed(digits)} (${Number((value / peer).toPrecision(2))} ×)`;

const cpuSeconds = ({ cpuMillis, cuts }: Tally): number => cpuMillis / cuts / 1000;
const aMinute = ({ wallMillis, cuts }: Tally): number => (60_000 * cuts) / wallMillis;
const peakMebibytes = ({ peakBytes }: Tally): number => peakBytes / 2 ** 20;

/** What cut-outs cost, in brackets as ratios to `peer`. */
export function costTable(tallies: readonly Tally[], peer: Tally): string {
  const row = (tally: Tally): string[] => [
    tally.contender.name,
    beside(cpuSeconds(tally), cpuSeconds(peer), 3),
    beside(aMinute(tally), aMinute(peer), 1),
    beside(peakMebibytes(tally), peakMebibytes(peer), 0),
  ];
  const head = ['', 'CPU seconds a picture', 'pictures a minute', 'peak memory, MiB'];
  return markdownTable([head, ...tallies.map(row)]);
}

const isOf = (kind: string) => (quality: Quality) => quality.kind === kind;

const share = (qualities: readonly Quality[]): string => {
  const opaque = mean(qualities.map((quality) => quality.opaque));
  return opaque === 0 ? '-' : (mean(qualities.map(({ own }) => own)) / opaque).toFixed(4);
};

/** How good cut-outs are, by kind of photo. */
export function qualityTable(tallies: readonly Tally[]): string {
  const kinds = [...new Set(tallies.flatMap(({ qualities }) => qualities.map(({ kind }) => kind)))];
  const rows = kinds.flatMap((kind) =>
    tallies.map(({ contender, qualities }) => {
      const some = qualities.filter(isOf(kind));
      return [
        `${kind} (${some.length})`,
        contender.name,
        mean(some.map(({ iou }) => iou)).toFixed(4),
        mean(some.map(({ edge }) => edge)).toFixed(4),
        String(some.filter(({ iou }) => iou < 0.85).length),
        share(some),
      ];
    }),
  );
  const head = ['photos', '', 'mIoU', 'edge error', 'IoU < .85', 'own colours'];
  return markdownTable([head, ...rows]);
}
