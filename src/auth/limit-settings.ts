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

const BYTES = /^([1-9]\d{0,5})(MB|GB|TB)\/day$/;
const UNIT_BYTES = { MB: 1e6, GB: 1e9, TB: 1e12 } as const;

/** Parses `500MB/day`, `50GB/day`, `1TB/day` to bytes. Throws an error that explains the format. */
export function parseBytesPerDay(text: string): number {
  const match = BYTES.exec(text);
  if (!match) throw new Error(`"${text}" is not bytes per day: write it as 500MB/day or 50GB/day`);
  return Number(match[1]) * UNIT_BYTES[match[2] as keyof typeof UNIT_BYTES];
}

/** Returns a parser of whole numbers from `min` to `max`. It throws an error that states the range. */
export const parseWhole =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`Write a whole number from ${min} to ${max}`);
  };
