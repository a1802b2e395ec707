import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { classify } from '../src/taxonomy/classify.ts';
import { createOptions } from '../src/taxonomy/dictionary/options.ts';
import { CATEGORY_IDS, LOCALES } from '../src/taxonomy/dictionary/schema.ts';
import { measureColors } from '../src/taxonomy/photo/color.ts';
import { DEFAULT_SETTINGS } from '../src/taxonomy/request-schema.ts';
import { classifyText } from '../src/taxonomy/text/classify-text.ts';
import { accuracy, namedBy, readFeedRows } from '../test/taxonomy/feed-rows.ts';
import { composedRows } from './composed-titles.ts';
import { EVAL_FOLDER } from './eval-photos.ts';
import { fitNaming } from './fit-confidence.ts';
import { quantised } from './fit-second-opinion.ts';
import { measureGarmentClass } from './garment-class.ts';
import { perCpuSecond, titlesPerSecond } from './naming-speed.ts';
import { measureTitles, PARTS, readWritten, scoreBySet, WRITTEN_SETS } from './titles.ts';
import { measureUnseenContributors } from './unseen-contributors.ts';

interface Settings {
  seconds: number;
  json: boolean;
  fit: boolean;
  contributors: boolean;
  composed: boolean;
  speed: boolean;
}

/** The folder with labelled titles and products beside the evaluation photos. */
const SHARED_FOLDER = dirname(EVAL_FOLDER);
const TEXT_FOLDER = join('src', 'taxonomy', 'text');

const MICROS = 1e6;
const round = (value: number, digits = 0): number => Number(value.toFixed(digits));

/** Draws a striped shirt of 256 × 256 on a transparent background: three dyes under a light gradient. */
function drawnPixels(): Uint8Array {
  const side = 256;
  const dyes = [
    [24, 40, 84],
    [236, 234, 228],
    [180, 32, 44],
  ] as const;
  const rgba = new Uint8Array(side * side * 4);
  for (let i = 0; i < side * side; i++) {
    const [x, y] = [i % side, Math.floor(i / side)];
    const dye = dyes[Math.floor(y / 16) % dyes.length] ?? dyes[0];
    const light = 0.7 + (0.3 * x) / side;
    rgba.set([...dye.map((c) => c * light), x > 32 && x < side - 32 ? 255 : 0], i * 4);
  }
  return rgba;
}

async function measure({ seconds }: Settings) {
  const files = LOCALES.map(readFeedRows);
  const rows = files.flatMap(({ tuned, heldOut }) => [...tuned, ...heldOut].map(({ row }) => row));
  const settings = DEFAULT_SETTINGS;
  const pixels = drawnPixels();
  const options = createOptions('bench');
  return {
    textRowsPerSecond: round(perCpuSecond(seconds, () => rows.map(classifyText).length)),
    answersPerSecond: round(
      perCpuSecond(
        seconds,
        () =>
          rows.map((attributes) => classify({ attributes, options: settings, fallbackId: 'row' }))
            .length,
      ),
    ),
    colorsMillis: round(1000 / perCpuSecond(seconds, () => measureColors(pixels) && 1), 2),
    optionsMicros: round(
      MICROS / perCpuSecond(seconds / 4, () => options('en', undefined) && 1),
      2,
    ),
    titlesPerSecond: await titlesPerSecond(seconds, SHARED_FOLDER),
    titles: PARTS.map((part) => ({ part, sets: measureTitles(SHARED_FOLDER, part) })),
    languages: files.map((file) => ({
      language: file.language,
      tuned: accuracy(file.tuned),
      heldOut: accuracy(file.heldOut),
      falseGarments: file.notGarments.filter(
        (title) =>
          namedBy({ title }).id !== undefined &&
          namedBy({ title }).confidence >= settings.minConfidence,
      ).length,
      notGarments: file.notGarments.length,
    })),
  };
}

const share = (value: number): string => value.toFixed(3);

function print(figures: Awaited<ReturnType<typeof measure>>): void {
  console.log('One core, CPU time:');
  console.table({
    'text alone': { figure: figures.textRowsPerSecond, unit: 'rows/s' },
    'full responses from text': { figure: figures.answersPerSecond, unit: 'rows/s' },
    'colours of a 256 × 256 cut-out': { figure: figures.colorsMillis, unit: 'ms' },
    'options, prebuilt': { figure: figures.optionsMicros, unit: 'µs' },
  });
  console.log(
    'Hand-written feed rows (test/fixtures/feed-rows; no rule was changed for a held-out row):',
  );
  console.table(
    Object.fromEntries(
      figures.languages.map(({ language, tuned, heldOut, falseGarments, notGarments }) => [
        language,
        {
          'tuned rows': tuned.rows,
          'region, tuned': share(tuned.region),
          'leaf, tuned': share(tuned.leaf),
          'held-out rows': heldOut.rows,
          'region, held out': share(heldOut.region),
          'leaf, held out': share(heldOut.leaf),
          'false garments': `${falseGarments} of ${notGarments}`,
        },
      ]),
    ),
  );
}

const TITLE_PARTS: Readonly<Record<(typeof PARTS)[number], string>> = {
  fitting: 'Titles of shops that the rules and the confidence were fitted to:',
  judging: 'Titles of shops that nothing was fitted to:',
};

function printTitles({
  titles,
  titlesPerSecond: speed,
}: Awaited<ReturnType<typeof measure>>): void {
  if (speed === undefined) {
    console.log(`Titles are not measured: there are none in ${join(SHARED_FOLDER, 'eval')}`);
    return;
  }
  for (const { part, sets } of titles) {
    console.log(TITLE_PARTS[part]);
    console.table(
      Object.fromEntries(
        sets.map(({ set, titles: count, ...shares }) => [
          set,
          {
            titles: count,
            answered: share(shares.answered),
            'region right': share(shares.region),
            'leaf right': share(shares.leaf),
            'wrong, confidence ≥ .9': share(shares.surelyWrong),
            'calibration error': share(shares.calibrationError),
          },
        ]),
      ),
    );
  }
  console.log(`One core, CPU time, compiled: ${speed} titles/s`);
}

function printPhotos(photos: Awaited<ReturnType<typeof measureGarmentClass>>): void {
  if (!photos) {
    console.log(`Photos are not measured: SELVAGE_EVAL (${EVAL_FOLDER}) has no manifest.json`);
    return;
  }
  const { accuracy, calibrationError, card } = photos;
  console.log(
    `Photos by class; a cut-out takes ${photos.cutOutAfterDecodingMillis.toFixed(1)} ms after decoding.`,
  );
  console.table({
    'evaluation photos': {
      photos: photos.photos,
      accuracy: share(accuracy),
      'calibration error': share(calibrationError),
    },
    "published test (the model's card)": {
      photos: card.photos,
      accuracy: share(card.accuracy),
      'calibration error': share(card.calibrationError),
    },
  });
  console.table(
    Object.fromEntries(
      photos.classes.map(({ name, photos: count, found, cardFound }) => [
        name,
        {
          photos: count,
          recall: found === undefined ? 'none' : share(found),
          'recall, by the card': cardFound === undefined ? 'none' : share(cardFound),
        },
      ]),
    ),
  );
}

function printStore(store: Awaited<ReturnType<typeof measureGarmentClass>>): void {
  if (!store?.store) return;
  const { alone, withRow, disagree, cpu } = store.store;
  console.log(
    'Photos of a shop, most of them worn by a model, by the photo alone and with its row:',
  );
  console.table(
    Object.fromEntries(
      [...alone, withRow].map(({ kind, photos, ...shares }) => [
        kind,
        {
          photos,
          answered: share(shares.answered),
          'region right': share(shares.region),
          'group right': share(shares.group),
          'leaf right': share(shares.leaf),
          'mean confidence': share(shares.confidence),
          'calibration error': share(shares.calibrationError),
        },
      ]),
    ),
  );
  console.log(
    `CPU time of a photo: ${cpu.viewMillis.toFixed(0)} ms; its cut-out takes ${cpu.cutOutMillis.toFixed(0)} ms.`,
  );
  console.log(
    `Said to disagree: ${share(disagree.swapped)} of photos beside a row of another region, ` +
      `${share(disagree.own)} beside their own.`,
  );
}

function printContributors(
  sets: Awaited<ReturnType<typeof measureUnseenContributors>>,
  asJson: boolean,
): void {
  if (asJson) {
    console.log(JSON.stringify(sets ?? null, null, 2));
    return;
  }
  if (!sets) {
    console.log(`Nothing is measured: there is no training/clothes.csv in ${SHARED_FOLDER}`);
    return;
  }
  console.log('Laid-out garments of contributors that no weights have seen, by the photo alone:');
  console.table(
    Object.fromEntries(
      sets.map(({ set, photos, takenForPeople, ...shares }) => [
        set,
        {
          photos,
          'taken for people': takenForPeople,
          answered: share(shares.answered),
          'region right': share(shares.region),
          'label right': share(shares.label),
        },
      ]),
    ),
  );
}

/** What the fitted numbers come from, written beside them. */
const CARD = {
  origin: 'own training',
  fittedTo:
    'Titles of shops in six languages (eval/titles: three of four, by a hash of the title) and the products of one ' +
    'shop (training/store-products.json), neither of which is distributed; the tuned hand-written rows of ' +
    'test/fixtures/feed-rows; the names of the dictionary and of things; the second opinion also to the sets of ' +
    'test/fixtures/naming/written-*.tsv.',
  judgedOn: 'The other titles: docs/performance.md, "Naming by text".',
  reproduce: 'npm run bench -- taxonomy --fit',
};

function writeFitted(): void {
  const { opinion, confidence } = fitNaming(SHARED_FOLDER);
  const { weights, ...rest } = quantised(opinion);
  const files = {
    'confidence.json': { card: CARD, ...confidence },
    'second-opinion.json': {
      card: CARD,
      classes: CATEGORY_IDS,
      ...rest,
      weights: Buffer.from(weights.buffer).toString('base64'),
    },
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(TEXT_FOLDER, name), `${JSON.stringify(content, null, 2)}\n`);
    console.log(`Wrote ${join(TEXT_FOLDER, name)}; measure it with the next run`);
  }
}

/** Judges titles with things that are no garments: composed ones, of every kind, apart from those of the fit, and written ones. */
function printComposed(): void {
  const parts = [
    ['Composed titles that nothing was fitted to', composedRows('judging')] as const,
    ...WRITTEN_SETS.map((set) => [`Titles of ${set}.tsv`, readWritten(set)] as const),
  ];
  for (const [part, rows] of parts) {
    console.log(`${part}; "accepted": a garment where there is none.`);
    console.table(
      Object.fromEntries(
        scoreBySet(rows).map(({ set, titles, ...shares }) => [
          set,
          {
            titles,
            answered: share(shares.answered),
            'region right': share(shares.region),
            'leaf right': share(shares.leaf),
            'wrong, confidence ≥ .9': share(shares.surelyWrong),
            accepted: share(shares.accepted),
            'accepted, of things': share(shares.acceptedOfThings),
          },
        ]),
      ),
    );
  }
}

/** Prints speed and accuracy of classification: of hand-written feed rows, shop titles and photos if there are any. */
export async function run(argv: string[]): Promise<void> {
  const command = new Command('taxonomy')
    .option('--seconds <n>', 'CPU seconds per speed measurement', Number, 2)
    .option('--json', 'print JSON', false)
    .option('--fit', `fit naming by text and write its numbers to ${TEXT_FOLDER}`, false)
    .option('--contributors', 'only: laid-out garments of contributors nobody trained with', false)
    .option('--speed', 'only: titles of shops a second, on one core', false)
    .option(
      '--composed',
      'only: composed and written titles, with things that are no garments',
      false,
    )
    .parse(argv, { from: 'user' });
  const settings = command.opts<Settings>();
  if (settings.fit) {
    writeFitted();
    return;
  }
  if (settings.composed) {
    printComposed();
    return;
  }
  if (settings.speed) {
    console.log(
      `One core, CPU time, compiled: ${await titlesPerSecond(settings.seconds, SHARED_FOLDER)} titles/s`,
    );
    return;
  }
  if (settings.contributors) {
    printContributors(await measureUnseenContributors(SHARED_FOLDER), settings.json);
    return;
  }
  const figures = await measure(settings);
  const photos = await measureGarmentClass();
  if (settings.json) console.log(JSON.stringify({ ...figures, photos: photos ?? null }, null, 2));
  else {
    print(figures);
    printTitles(figures);
    printPhotos(photos);
    printStore(photos);
  }
}
