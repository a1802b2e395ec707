/** How long what belongs to a piece of work is kept, seconds. */
export interface Policy {
  /** An input whose work has not begun by then is deleted, and the work is not done. */
  inputSeconds: number;
  /** Results, from the end of the work. */
  outputSeconds: number;
  /** What is known of the work when its results are gone. */
  recordSeconds: number;
}

const DAY_SECONDS = 86_400;

/** What is kept besides results where nobody says anything. */
export const DEFAULT_RETENTION = {
  inputSeconds: 7 * DAY_SECONDS,
  recordSeconds: DAY_SECONDS,
} as const;

/** Of each class the shortest time that anybody asks for. */
export function shortestRetention(
  asked: Policy,
  ...policies: readonly { readonly [Class in keyof Policy]?: number | undefined }[]
): Policy {
  const shortest = (name: keyof Policy) =>
    Math.min(asked[name], ...policies.flatMap((policy) => policy[name] ?? []));
  return {
    inputSeconds: shortest('inputSeconds'),
    outputSeconds: shortest('outputSeconds'),
    recordSeconds: shortest('recordSeconds'),
  };
}
