// @ts-check
import { createWriteStream, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const ROTATE_BYTES = 10 * 2 ** 20;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
/** Said by every line, and not worth repeating in front of a person. */
const PLAIN_FIELDS = new Set(['level', 'time', 'msg', 'process', 'pid', 'hostname']);

/**
 * Opens a process's log for appending, readable by this user alone. One that has grown large is
 * put aside first, in place of the one before it.
 * @param {string} file
 */
export function openLog(file) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (existsSync(file) && statSync(file).size > ROTATE_BYTES) renameSync(file, `${file}.1`);
  return createWriteStream(file, { flags: 'a', mode: 0o600 });
}

/**
 * A line of a process as a person wants to read it, or nothing where it is below `level`. A line
 * that is no log line is shown as it is: nobody prints one without need.
 * @param {string} name the process
 * @param {string} text
 * @param {string} level
 * @param {import('./terminal.mjs').Say['paint']} paint
 */
export function readable(name, text, level, paint) {
  const entry = parse(text);
  if (!entry) return `${name}: ${text}`;
  const rank = LEVELS.indexOf(entry.level);
  if (rank < LEVELS.indexOf(level)) return undefined;
  const fields = Object.entries(entry)
    .filter(([field]) => !PLAIN_FIELDS.has(field))
    .map(
      ([field, value]) => `${field}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
    );
  const line = [`${name} ${entry.level}: ${entry.msg ?? ''}`, ...fields].join('  ');
  if (rank >= LEVELS.indexOf('error')) return paint('red', line);
  return rank === LEVELS.indexOf('warn') ? paint('yellow', line) : paint('dim', line);
}

/**
 * @param {string} text
 * @returns {Record<string, unknown> & { level: string } | undefined}
 */
function parse(text) {
  if (!text.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(text);
    return LEVELS.includes(entry.level) ? entry : undefined;
  } catch {
    return undefined; // only looked like one
  }
}
