/** A client's preferences (RFC 7240). Unknown ones are ignored. */
export interface Preference {
  /** Respond now and deliver the result later. */
  respondAsync: boolean;
  /** Seconds the client waits for the result itself. */
  waitSeconds: number | undefined;
}

const WAIT = /^wait\s*=\s*"?(\d{1,6})"?$/i;
const ASYNC = /^respond-async$/i;

export function readPrefer(header: string | string[] | undefined): Preference {
  const tokens = [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((token) => token.split(';')[0]!.trim());
  const waits = tokens.flatMap((token) => WAIT.exec(token)?.[1] ?? []);
  return {
    respondAsync: tokens.some((token) => ASYNC.test(token)),
    waitSeconds: waits[0] === undefined ? undefined : Number(waits[0]),
  };
}

export const prefersJob = ({ respondAsync, waitSeconds }: Preference): boolean =>
  respondAsync || waitSeconds !== undefined;

export const preferenceApplied = ({ respondAsync, waitSeconds }: Preference): string =>
  [respondAsync && 'respond-async', waitSeconds !== undefined && `wait=${waitSeconds}`]
    .filter(Boolean)
    .join(', ');
