/** An error reply by its codes, alone or as a script of Redis 6 or older wraps it. */
const reply = (codes: string): RegExp => new RegExp(`(?:^|[-:] ?)(?:${codes})\\b`);

/** Of a server that is not the primary, or not yet. */
const DEMOTED = reply('READONLY|UNBLOCKED|LOADING|MASTERDOWN');
const FULL = reply('OOM');
/** About the state of Redis or the rights to it, not the command. */
const SERVER_ERRORS = reply(
  'MISCONF|BUSY|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|NOAUTH|WRONGPASS|NOPERM|ERR max number of clients reached',
);
/** The client's messages about a lost connection; it has no error classes for them. */
const CONNECTION_ERRORS =
  /^(Connection is (closed|aborted|discarded)|Command timed out|Socket timeout|connect ETIMEDOUT|Stream isn't writeable|Reached the max retries|Cluster is|No master node|Node is disconnected|None of startup nodes|Failed to refresh slots|Too many Cluster redirections|Command aborted due to connection close|No (sharded )?subscriber for)/;

/** Returns whether a server rejected a command because it is not the primary: another connection may lead to that. */
export const isDemoted = (error: Error): boolean => DEMOTED.test(error.message);

/** Returns an error with those it stands for: a transaction (EXECABORT) does not say why its commands were rejected. */
const withCauses = (error: unknown): readonly Error[] => {
  if (!(error instanceof Error)) return [];
  const causes: unknown = Reflect.get(error, 'previousErrors');
  return [error, ...(Array.isArray(causes) ? causes : [])];
};

/** Returns whether Redis or the connection failed, not the command: it may succeed later. */
export const isRedisError = (error: unknown): boolean =>
  withCauses(error).some(({ message }) =>
    [DEMOTED, FULL, SERVER_ERRORS, CONNECTION_ERRORS].some((pattern) => pattern.test(message)),
  );

/** Returns whether Redis has no memory left, and so rejects every write. */
export const isRedisFull = (error: unknown): boolean =>
  withCauses(error).some(({ message }) => FULL.test(message));
