// @ts-check

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MILLIS = 80;
/** Without a terminal, a running step is reported at this interval. */
const REPEAT_MILLIS = 10_000;
const CLEAR_LINE = '\r\x1b[2K';

/**
 * @typedef {object} Terminal
 * @property {boolean} isWatched whether a person reads it, and not a file or a program
 * @property {(text: string) => void} line prints one line
 * @property {(text: string) => void} warn prints one line, highlighted
 * @property {<T>(title: string, work: () => Promise<T>) => Promise<T>} step does the work and prints
 *   one line with its duration when it is done; shows a spinner meanwhile on a terminal
 * @property {(name: 'red' | 'yellow' | 'bold' | 'dim', text: string) => string} paint
 */

const PAINT = { red: 31, yellow: 33, bold: 1, dim: 2 };

/**
 * Writes the launcher's messages.
 * @param {NodeJS.WriteStream} out
 * @returns {Terminal}
 */
export function createTerminal(out) {
  const isWatched = out.isTTY === true;
  const terminal = isWatched && process.env.TERM !== 'dumb';
  const colours = terminal && !process.env.NO_COLOR;
  /** @type {string | undefined} */
  let spinning;
  // Whoever reads them may go, and the disk of a file may be full: neither ends a process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  /** @type {Terminal['line']} */
  function line(text) {
    out.write(spinning === undefined ? `${text}\n` : `${CLEAR_LINE}${text}\n${spinning}`);
  }

  /** @type {Terminal['paint']} */
  const paint = (name, text) => (colours ? `\x1b[${PAINT[name]}m${text}\x1b[0m` : text);

  /** @type {Terminal['step']} */
  async function step(title, work) {
    const began = performance.now();
    const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
    let frame = 0;
    const spin = () => {
      spinning = `${FRAMES[frame++ % FRAMES.length]} ${title} ${paint('dim', seconds())}`;
      out.write(CLEAR_LINE + spinning);
    };
    const timer = terminal
      ? setInterval(spin, FRAME_MILLIS)
      : setInterval(() => line(`… ${title} (${seconds()})`), REPEAT_MILLIS);
    if (terminal) spin();
    else line(`… ${title}`);
    /** @param {string} mark */
    const end = (mark) => {
      clearInterval(timer);
      if (terminal) out.write(CLEAR_LINE);
      spinning = undefined;
      line(`${mark} ${title} ${paint('dim', `(${seconds()})`)}`);
    };
    try {
      const result = await work();
      end('✓');
      return result;
    } catch (error) {
      end(paint('red', '✗'));
      throw error;
    }
  }

  return { isWatched, line, warn: (text) => line(paint('yellow', text)), step, paint };
}
