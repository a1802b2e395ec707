import { Command, Option } from 'commander';
import { z } from 'zod';
import type {
  Outfit,
  OutfitsRequest,
  OutfitsResponse,
} from '../../../packages/client/src/client.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { readJsonFile } from '../terminal/files.ts';
import { type Output, print } from '../terminal/output.ts';
import { parseNumber } from './arguments.ts';

interface OutfitsOptions extends ServerOptions, Output {
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

/** A wardrobe file. The server validates the items. */
const Items = z.array(z.looseObject({}));
const Wardrobe = z.union([Items, z.object({ items: Items }).transform(({ items }) => items)], {
  error: 'must be a list of garments, or an object with such a list as "items"',
});

async function readRequest(options: OutfitsOptions): Promise<OutfitsRequest> {
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
    met,
    limit,
    plan,
    occasion,
    locale,
    indoorTempC: indoorTemp,
    ...(profile && { userProfile: { thermalProfile: profile } }),
    items: await readJsonFile(options.wardrobe, Wardrobe),
  };
  // The server validates every value, and reports all errors at once.
  return request as unknown as OutfitsRequest;
}

function formatShell({ shell }: Outfit): string {
  if (!shell) return '';
  if (!shell.needed) return 'outside nothing more is needed';
  const [best] = shell.items;
  return best
    ? `outside add ${[best.itemId, ...shell.addIds].join(', ')}`
    : 'outside the wardrobe has too little';
}

function formatOutfit(outfit: Outfit, i: number): string {
  const { name, score, itemIds, explanation, warnings } = outfit;
  const lines = [
    itemIds.join(', '),
    formatShell(outfit),
    ...explanation.map(({ text }) => text),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  const head = `${i + 1}. ${name}, ${Math.round(score)} of 100`;
  return [head, ...lines.filter(Boolean).map((line) => `   ${line}`)].join('\n');
}

function formatResponse({ outfits, diagnostics }: OutfitsResponse): string {
  const reasons = diagnostics.map(({ detail }) => detail);
  if (outfits.length === 0) return ['There is no suitable outfit.', ...reasons].join('\n');
  return [...outfits.map(formatOutfit), ...reasons].join('\n');
}

const EXAMPLES = `
Examples:
  $ selvage outfits --wardrobe wardrobe.json --temp 5 --wind 3 --humidity 60 --condition rain
  $ selvage outfits --wardrobe wardrobe.json --temp 28 --occasion beach --json`;

/** `outfits --wardrobe w.json --temp 5` */
export const outfitsCommand = (signal: AbortSignal): Command =>
  new Command('outfits')
    .description('outfits from a wardrobe that are warm enough for the weather')
    .requiredOption('--wardrobe <file>', 'JSON: a list of garments, or {"items": […]}')
    .requiredOption('--temp <celsius>', 'outdoor air temperature, °C', parseNumber)
    .option('--wind <m/s>', 'wind, metres per second', parseNumber, 2)
    .option('--humidity <percent>', 'relative humidity', parseNumber, 60)
    .option('--condition <word>', 'clear, cloudy, rain, snow, fog, … as in forecasts', 'clear')
    .option('--night', 'the sun is down')
    .option('--met <met>', 'activity: 1 sitting, 1.6 strolling, 3 brisk walking', parseNumber, 1.6)
    .addOption(
      new Option(
        '--plan <plan>',
        'where the outfit is for; by default the occasion decides',
      ).choices(['indoor', 'outdoor']),
    )
    .option('--occasion <id>', 'such as everyday, work, party')
    .option(
      '--indoor-temp <celsius>',
      'room temperature, °C; by default from the season',
      parseNumber,
    )
    .option('--profile <label>', 'runs-very-cold … runs-very-warm')
    .option('--locale <language>', 'language of the names: en de fr es it nl')
    .option('--limit <n>', 'maximum number of outfits', parseNumber, 3)
    .addHelpText('after', EXAMPLES)
    .action(async (options: OutfitsOptions) => {
      const response = await connect(options).look.outfits(await readRequest(options), { signal });
      print(options, response, formatResponse(response));
    });
