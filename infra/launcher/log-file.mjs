// @ts-check
import { mkdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** @typedef {typeof import('rotating-file-stream')} Rotation */
/** @typedef {import('rotating-file-stream').RotatingFileStream} Stream */

/** `worker.log.1` is the newest of the older files. */
const ROTATION = { size: '10M', rotate: 3, mode: 0o600 };
/** How long a log is left alone that could not be written. */
const RETRY_MILLIS = 5_000;
/** Lines that wait for a slow disk, bytes; more are dropped. */
const MAX_WAITING_BYTES = 2 ** 20;

/**
 * Opens a process's log for appending, readable by this user alone. It rotates by size.
 * @param {string} file
 * @param {(text: string) => void} onWarning receives what the user should know
 */
export async function openLog(file, onWarning) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Not sooner: packages may have been installed only now.
  return new LogFile(file, onWarning, await import('rotating-file-stream'));
}

/** Never fails: while its disk is full, lines are dropped, and the first one after that says how many. */
class LogFile {
  #file;
  #onWarning;
  #rotation;
  /** @type {Stream | undefined} */
  #stream;
  #lostLines = 0;
  #retryAt = 0;
  #isWarned = false;

  /**
   * @param {string} file
   * @param {(text: string) => void} onWarning
   * @param {Rotation} rotation
   */
  constructor(file, onWarning, rotation) {
    this.#file = file;
    this.#onWarning = onWarning;
    this.#rotation = rotation;
    this.#stream = this.#open();
  }

  /** @param {string} line */
  write(line) {
    if (!this.#stream && performance.now() >= this.#retryAt) this.#resume();
    if (!this.#stream || this.#stream.writableLength > MAX_WAITING_BYTES) this.#lostLines++;
    else {
      this.#stream.write(`${line}\n`, (error) => {
        if (error) this.#lostLines++;
      });
    }
  }

  /** Resolves when everything that can be written is. */
  async close() {
    const stream = this.#stream;
    if (stream) await new Promise((resolve) => stream.end(resolve));
  }

  #open() {
    const path = dirname(this.#file);
    const stream = this.#rotation.createStream(basename(this.#file), { path, ...ROTATION });
    return stream.on('error', (error) => this.#pause(error));
  }

  /** @param {Error} error */
  #pause(error) {
    this.#stream = undefined;
    this.#retryAt = performance.now() + RETRY_MILLIS;
    if (this.#isWarned) return;
    this.#isWarned = true;
    this.#onWarning(
      `${this.#file} cannot be written (${error.message}). Until it can, its lines are lost; everything else goes on`,
    );
  }

  /** Reports what is missing in the log itself; a line before it may have no end. */
  #resume() {
    const lines = this.#lostLines;
    const time = new Date().toISOString();
    const note = {
      level: 'warn',
      time,
      msg: 'lines are missing here: the log could not be written',
      lines,
    };
    this.#stream = this.#open();
    this.#stream.write(`\n${JSON.stringify(note)}\n`, (error) => {
      if (error) return;
      this.#lostLines -= lines;
      this.#isWarned = false;
      this.#onWarning(`${this.#file} is written again; about ${lines} lines of it are lost`);
    });
  }
}
