import { styleText } from 'node:util';

/** How a command answers: for people by default, JSON with `--json`; all else goes to standard error. */
export interface Output {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
}

/** Prints one JSON value, or the text for people. */
export function print(output: Pick<Output, 'json'>, value: unknown, text: string): void {
  console.log(output.json ? JSON.stringify(value) : text);
}

/** Tells people how it goes; a script that wants JSON does not want to hear it. */
export function say({ json, quiet }: Output, text: string): void {
  if (!json && !quiet) console.error(text);
}

export type Colour = 'green' | 'yellow' | 'red' | 'dim';

/** Coloured where standard output is a terminal and NO_COLOR does not forbid it. */
export const paint = (colour: Colour, text: string): string =>
  styleText(colour, text, { stream: process.stdout });

/** Rows under headings, columns as wide as their widest cell. */
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
