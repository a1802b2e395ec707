/** A rate limit: `count` requests in any `periodSeconds`, all of them at once if the client likes. */
export interface Rate {
  count: number;
  periodSeconds: number;
}

const PERIOD_SECONDS = { s: 1, sec: 1, min: 60, h: 3600, hour: 3600 } as const;
const RATE = /^([1-9]\d{0,6})\/(s|sec|min|h|hour)$/;
const QUOTA = /^([1-9]\d{0,9})\/day$/;

/** Parses `60/min`, `5/s`, `1000/h`. Throws an error that explains the format. */
export function parseRate(text: string): Rate {
  const match = RATE.exec(text);
  if (!match) throw new Error(`"${text}" is not a rate: write it as 5/s, 60/min or 1000/h`);
  return {
    count: Number(match[1]),
    periodSeconds: PERIOD_SECONDS[match[2] as keyof typeof PERIOD_SECONDS],
  };
}

/** Parses `1000/day`. Throws an error that explains the format. */
export function parseQuota(text: string): number {
  const match = QUOTA.exec(text);
  if (!match) throw new Error(`"${text}" is not a quota: write it as 1000/day`);
  return Number(match[1]);
}

const DURATION = /^(\d{1,9})(s|min|h|d)$/;
const DURATION_SECONDS = { s: 1, min: 60, h: 3600, d: 86_400 } as const;

/** Parses `30s`, `15min`, `24h`, `7d` to seconds. Throws an error that explains the format. */
export function parseDuration(text: string): number {
  const match = DURATION.exec(text);
  if (!match) throw new Error('Write a duration as 30s, 15min, 24h or 7d');
  return Number(match[1]) * DURATION_SECONDS[match[2] as keyof typeof DURATION_SECONDS];
}
