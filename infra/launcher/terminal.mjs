// @ts-check

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MILLIS = 80;
/** Where no line can be drawn over, a step that lasts is heard of this often. */
const STILL_MILLIS = 10_000;
const CLEAR_LINE = '\r\x1b[2K';

/**
 * @typedef {object} Say
 * @property {(text: string) => void} line prints one line
 * @property {(text: string) => void} warn prints one line that wants to be seen
 * @property {<T>(title: string, work: () => Promise<T>) => Promise<T>} step does the work and prints
 *   one line when it is done, with the seconds it took; meanwhile a spinner turns on a terminal
 * @property {(name: 'red' | 'yellow' | 'bold' | 'dim', text: string) => string} paint
 */

const PAINT = { red: 31, yellow: 33, bold: 1, dim: 2 };

/**
 * What the launcher tells the person in front of it.
 * @param {NodeJS.WriteStream} out
 * @returns {Say}
 */
export function createSay(out) {
  const terminal = out.isTTY === true && process.env.TERM !== 'dumb';
  const colours = terminal && !process.env.NO_COLOR;
  /** @type {string | undefined} */
  let spinning;
  out.on('error', () => {}); // the terminal may be closed while what runs is still to be stopped

  /** @type {Say['line']} */
  function line(text) {
    out.write(spinning === undefined ? `${text}\n` : `${CLEAR_LINE}${text}\n${spinning}`);
  }

  /** @type {Say['paint']} */
  const paint = (name, text) => (colours ? `\x1b[${PAINT[name]}m${text}\x1b[0m` : text);

  /** @type {Say['step']} */
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
      : setInterval(() => line(`… ${title} (${seconds()})`), STILL_MILLIS);
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

  return { line, warn: (text) => line(paint('yellow', text)), step, paint };
}
