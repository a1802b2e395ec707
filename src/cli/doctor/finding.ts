/** The result of one check, and how to fix it. */
export interface Finding {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  advice?: string;
}

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail });

export const warn = (name: string, detail: string, advice: string): Finding => ({
  name,
  status: 'warn',
  detail,
  advice,
});

export const fail = (name: string, detail: string, advice: string): Finding => ({
  name,
  status: 'fail',
  detail,
  advice,
});

/** Returns the first line of an error's message. */
export const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
