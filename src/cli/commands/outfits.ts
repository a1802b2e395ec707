import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { OutfitsRequest, OutfitsResponse } from '../../client/client.ts';
import { connect } from '../connection/connect.ts';
import type { PlaceOptions } from '../connection/server-profile.ts';
import { readJsonFile } from '../terminal/json-file.ts';
import { type Output, print } from '../terminal/output.ts';

interface OutfitsOptions extends PlaceOptions, Output {
  wardrobe: string;
  temp: number;
  wind: number;
  humidity: number;
  condition: string;
  night?: true;
  met: number;
  plan?: string;
  occasion?: string;
  indoorTemp?: number;
  profile?: string;
  locale?: string;
  limit: number;
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It is no number.');
}

/** A wardrobe as it lies in a file; what an item is, the server says. */
const Items = z.array(z.looseObject({}));
const Wardrobe = z.union([Items, z.object({ items: Items }).transform(({ items }) => items)], {
  error: 'must be a list of garments, or an object with such a list as "items"',
});

async function requestOf(options: OutfitsOptions): Promise<OutfitsRequest> {
  const { temp, wind, humidity, condition, night, met, limit, plan, occasion } = options;
  const { indoorTemp, profile, locale } = options;
  const request = {
    weather: {
      tempC: temp,
      windMs: wind,
      humidityPct: humidity,
      condition,
      ...(night && { isDay: false }),
    },
    ...{ met, limit, plan, occasion, locale, indoorTempC: indoorTemp },
    ...(profile && { userProfile: { thermalProfile: profile } }),
    items: await readJsonFile(options.wardrobe, Wardrobe),
  };
  // The server checks every word, and says what is wrong with all of them at once.
  return request as unknown as OutfitsRequest;
}

type Outfit = OutfitsResponse['outfits'][number];

function outside({ shell }: Outfit): string {
  if (!shell) return '';
  if (!shell.needed) return 'nothing more is needed outside';
  const [best] = shell.items;
  return best
    ? `outside add ${[best.itemId, ...shell.addIds].join(', ')}`
    : 'outside more is needed than the wardrobe has';
}

function outfitText(outfit: Outfit, i: number): string {
  const { name, score, itemIds, explanation, warnings } = outfit;
  const lines = [
    itemIds.join(', '),
    outside(outfit),
    ...explanation.map(({ text }) => text),
    ...warnings.map((warning) => `careful: ${warning}`),
  ];
  const head = `${i + 1}. ${name}, ${Math.round(score)} of 100`;
  return [head, ...lines.filter(Boolean).map((line) => `   ${line}`)].join('\n');
}

function textOf({ outfits, diagnostics }: OutfitsResponse): string {
  const why = diagnostics.map(({ detail }) => detail);
  if (outfits.length === 0) return ['There is no outfit for this.', ...why].join('\n');
  return [...outfits.map(outfitText), ...why].join('\n');
}

const EXAMPLES = `
Examples:
  $ selvage outfits --wardrobe wardrobe.json --temp 5 --wind 3 --humidity 60 --condition rain
  $ selvage outfits --wardrobe wardrobe.json --temp 28 --plan outdoor --occasion beach --json`;

/** `outfits --wardrobe w.json --temp 5` */
export const outfitsCommand = (signal: AbortSignal): Command =>
  new Command('outfits')
    .description('outfits from a wardrobe that are warm enough for the weather')
    .requiredOption('--wardrobe <file>', 'JSON: a list of garments, or {"items": […]}')
    .requiredOption('--temp <celsius>', 'of the air outside', number)
    .option('--wind <m/s>', 'metres per second', number, 2)
    .option('--humidity <percent>', 'relative', number, 60)
    .option('--condition <word>', 'clear, cloudy, rain, snow, fog, … as forecasts say it', 'clear')
    .option('--night', 'the sun is down')
    .option('--met <met>', 'activity: 1 sitting, 1.6 strolling, 3 brisk walking', number, 1.6)
    .addOption(
      new Option('--plan <plan>', 'dressed for').choices(['indoor', 'outdoor']).default('indoor'),
    )
    .option('--occasion <id>', 'such as everyday, work, party')
    .option('--indoor-temp <celsius>', 'of the rooms; else by the season', number)
    .option('--profile <label>', 'runs-very-cold … runs-very-warm')
    .option('--locale <language>', 'of the names: en de fr es it nl')
    .option('--limit <n>', 'outfits at most', number, 3)
    .addHelpText('after', EXAMPLES)
    .action(async (options: OutfitsOptions) => {
      const answer = await connect(options).look.outfits(await requestOf(options), { signal });
      print(options, answer, textOf(answer));
    });
