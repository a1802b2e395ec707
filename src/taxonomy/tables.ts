import { readFileSync } from 'node:fs';

/** Tables that are edited without reading code; docs/how-to-add.md says how. */
const FOLDER = new URL('../../data/', import.meta.url);

/** Returns the lines of a table below its heading, split into columns. @param path below `data`, without its ending */
export const readTable = (path: string): string[][] =>
  readFileSync(new URL(`${path}.tsv`, FOLDER), 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
