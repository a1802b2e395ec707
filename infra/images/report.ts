import { markdownTable } from '../../bench/markdown.ts';
import type { Source } from './base-images.ts';
import type { ServiceName } from './service-images.ts';
import type { KillFigures, StartFigures, UpgradeFigures } from './trials.ts';

/** All that the check found. */
export interface Report {
  engine: string;
  baseImages: { image: string; source: Source }[];
  /** Sizes are uncompressed; `ownBytes` is without the image it builds on. */
  images: { service: ServiceName; bytes: number; ownBytes: number; withoutCuda: boolean }[];
  /** Until the image with everything in it has answered its first removal. */
  allInOneSeconds: number;
  start: StartFigures;
  kills: KillFigures[];
  /** undefined: no earlier commit with other images is known. */
  upgrade: (UpgradeFigures & { from: string }) | undefined;
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
const decimal = (seconds: number): string => seconds.toFixed(1);

/** Returns whether every accepted job succeeded. */
export const isGood = ({ kills }: Report): boolean =>
  kills.every(({ accepted, succeeded }) => accepted === succeeded);

/** Returns the report as Markdown, as it stands in docs/deployment.md. */
export function reportText({
  engine,
  baseImages,
  images,
  allInOneSeconds,
  start,
  kills,
  upgrade,
}: Report): string {
  const standIns = baseImages.filter(({ source }) => source === 'stand-in');
  const sizes = images.map(({ service, bytes, ownBytes, withoutCuda }) => [
    withoutCuda ? `${service} (without the CUDA library)` : service,
    mebibytes(bytes),
    mebibytes(ownBytes),
  ]);
  const trials = kills.map(({ part, accepted, succeeded, readySeconds, doneSeconds }) => [
    part,
    `${succeeded} of ${accepted}`,
    decimal(readySeconds),
    decimal(doneSeconds),
  ]);
  const { healthySeconds, firstAnswerSeconds, secondAnswerSeconds } = start;
  return [
    `Engine ${engine}.`,
    ...(standIns.length > 0
      ? [`Made from Debian's packages: ${standIns.map(({ image }) => image).join(', ')}.`]
      : []),
    '',
    markdownTable([['image', 'MiB', 'without its base, MiB'], ...sizes]),
    '',
    `All in one: first answer after ${decimal(allInOneSeconds)} s.`,
    '',
    `From \`compose up\`: healthy after ${decimal(healthySeconds)} s, first answer after ` +
      `${decimal(firstAnswerSeconds)} s; the second removal took ${decimal(secondAnswerSeconds)} s.`,
    '',
    markdownTable([
      ['killed', 'jobs succeeded', 'ready after its start, s', 'jobs done, s'],
      ...trials,
    ]),
    '',
    upgrade
      ? `Upgrade from ${upgrade.from}: ready after ${decimal(upgrade.readySeconds)} s; a result of before is unchanged.`
      : 'No upgrade was tried: no earlier commit with other images is known.',
  ].join('\n');
}
