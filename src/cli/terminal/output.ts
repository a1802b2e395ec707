import { styleText } from 'node:util';

/** Output format: text by default, JSON with `--json`. Everything but results goes to standard error. */
export interface Output {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
}

/** Prints a result: one JSON value, or the text. */
export function print(output: Pick<Output, 'json'>, value: unknown, text: string): void {
  console.log(output.json ? JSON.stringify(value) : text);
}

/** Prints a status message to standard error, unless the output is JSON or quiet. */
export function say({ json, quiet }: Output, text: string): void {
  if (!json && !quiet) console.error(text);
}

export type Colour = 'green' | 'yellow' | 'red' | 'dim';

/** Colours text if standard output is a terminal and NO_COLOR is not set. */
export const paint = (colour: Colour, text: string): string =>
  styleText(colour, text, { stream: process.stdout });

/** Formats rows under headings; columns are as wide as their widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [headings, ...rows].map(line).join('\n');
}
