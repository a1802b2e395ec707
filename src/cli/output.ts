/** How a command answers: for people by default, one JSON value with `--json`. */
export interface Output {
  json: boolean;
}

/** Prints one JSON value, or the text for people. */
export function print(output: Output, value: unknown, text: string): void {
  console.log(output.json ? JSON.stringify(value) : text);
}

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
