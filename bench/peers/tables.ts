import { markdownTable } from '../markdown.ts';
import { mean } from '../statistics.ts';
import type { Quality, Tally } from './tally.ts';

/** Formats a figure, and its ratio to that of the peer. */
const withRatio = (value: number, peer: number, digits: number): string =>
  `${value.toFixed(digits)} (${Number((value / peer).toPrecision(2))} ×)`;

const cpuSeconds = ({ cpuMillis, images }: Tally): number => cpuMillis / images / 1000;
const perMinute = ({ wallMillis, images }: Tally): number => (60_000 * images) / wallMillis;
const peakMebibytes = ({ peakBytes }: Tally): number => peakBytes / 2 ** 20;
const proportionalMebibytes = ({ proportionalBytes }: Tally): number => proportionalBytes / 2 ** 20;

/** Returns a table of the cost of cut-outs, with ratios to `peer` in brackets. */
export function costTable(tallies: readonly Tally[], peer: Tally): string {
  const row = (tally: Tally): string[] => [
    tally.contender.name,
    withRatio(cpuSeconds(tally), cpuSeconds(peer), 3),
    withRatio(perMinute(tally), perMinute(peer), 1),
    withRatio(peakMebibytes(tally), peakMebibytes(peer), 0),
    withRatio(proportionalMebibytes(tally), proportionalMebibytes(peer), 0),
  ];
  const head = [
    '',
    'CPU seconds per image',
    'images per minute',
    'peak memory, MiB',
    'shared pages once, MiB',
  ];
  return markdownTable([head, ...tallies.map(row)]);
}

const isKind = (kind: string) => (quality: Quality) => quality.kind === kind;

const ownColourShare = (qualities: readonly Quality[]): string => {
  const opaque = mean(qualities.map((quality) => quality.opaque));
  return opaque === 0 ? '-' : (mean(qualities.map(({ own }) => own)) / opaque).toFixed(4);
};

/** Returns a table of the quality of cut-outs, by kind of photo. */
export function qualityTable(tallies: readonly Tally[]): string {
  const kinds = [...new Set(tallies.flatMap(({ qualities }) => qualities.map(({ kind }) => kind)))];
  const rows = kinds.flatMap((kind) =>
    tallies.map(({ contender, qualities }) => {
      const some = qualities.filter(isKind(kind));
      return [
        `${kind} (${some.length})`,
        contender.name,
        mean(some.map(({ iou }) => iou)).toFixed(4),
        mean(some.map(({ edge }) => edge)).toFixed(4),
        String(some.filter(({ iou }) => iou < 0.85).length),
        ownColourShare(some),
      ];
    }),
  );
  const head = ['photos', '', 'mIoU', 'edge error', 'IoU < .85', 'own colours'];
  return markdownTable([head, ...rows]);
}
