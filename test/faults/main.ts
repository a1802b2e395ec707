import { parseArgs } from 'node:util';
import { compile } from '../support/build.ts';
import { type Outcome, runCampaign } from './campaign.ts';

const HELP = `npm run faults [-- options]   kill, cut and fill up a real installation under load, and check its promises
  --units <n>     images and rows to send          300
  --faults <n>    faults to play meanwhile         28
  --seed <n>      of the order of all              1
  --json          the outcome as one JSON document`;

/** The outcome as tables. */
function report({ seed, acceptedByWay, refused, played, breaches, seconds }: Outcome): string {
  const total = Object.values(played).reduce((sum, times) => sum + times, 0);
  const accepted = Object.entries(acceptedByWay).map(([way, count]) => `${way} ${count}`);
  return [
    `Seed ${seed}: ${accepted.join(', ')} accepted, ${refused} refused, ${total} faults, ${Math.round(seconds)} s`,
    '',
    '| fault | played |',
    '|---|---|',
    ...Object.entries(played).map(([name, times]) => `| ${name} | ${times} |`),
    '',
    '| promise | breaches |',
    '|---|---|',
    ...breaches.map(({ promise, found }) => `| ${promise} | ${found.length} |`),
    ...breaches.flatMap(({ promise, found }) =>
      found.slice(0, 10).map((breach) => `${promise}: ${breach}`),
    ),
  ].join('\n');
}

const { values } = parseArgs({
  options: {
    units: { type: 'string', default: '300' },
    faults: { type: 'string', default: '28' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
compile();
const outcome = await runCampaign({
  seed: Number(values.seed),
  units: Number(values.units),
  faults: Number(values.faults),
  tell: (line) => console.error(line),
});
console.log(values.json ? JSON.stringify(outcome) : report(outcome));
process.exit(outcome.breaches.some(({ found }) => found.length > 0) ? 1 : 0);
