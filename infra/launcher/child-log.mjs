// @ts-check

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
/** Fields of every line, not shown on the terminal. */
const HIDDEN_FIELDS = new Set(['level', 'time', 'msg', 'process', 'pid', 'hostname']);

/**
 * Formats a line of output for the terminal; returns undefined if it is below `level`. A line that is not a log
 * entry is shown unchanged.
 * @param {string} name the process
 * @param {string} text
 * @param {string} level
 * @param {import('./terminal.mjs').Terminal['paint']} paint
 */
export function readable(name, text, level, paint) {
  const entry = parse(text);
  if (!entry) return `${name}: ${text}`;
  const rank = LEVELS.indexOf(entry.level);
  if (rank < LEVELS.indexOf(level)) return undefined;
  const fields = Object.entries(entry)
    .filter(([field]) => !HIDDEN_FIELDS.has(field))
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
    return undefined; // not JSON after all
  }
}
