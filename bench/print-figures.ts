import { withJsonKeys } from './labels.ts';

/** Prints figures one a line, their values aligned, or as JSON. */
export function printFigures(
  figures: Readonly<Record<string, number | string>>,
  asJson: boolean,
): void {
  if (asJson) {
    console.log(JSON.stringify(withJsonKeys(figures)));
    return;
  }
  const width = Math.max(...Object.keys(figures).map(({ length }) => length));
  for (const [label, value] of Object.entries(figures))
    console.log(`${label.padEnd(width)} ${value}`);
}
