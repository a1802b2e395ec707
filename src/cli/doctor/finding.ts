/** The result of one check, and how to fix it. */
export interface Finding {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  advice?: string;
}

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail });

const problem =
  (status: 'warn' | 'fail') =>
  (name: string, detail: string, advice: string): Finding => ({ name, status, detail, advice });
export const warn = problem('warn');
export const fail = problem('fail');

/** Returns the first line of an error's message. */
export const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
