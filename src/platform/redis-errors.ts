/** Replies of a server that is not the primary, or not yet, also inside those of scripts and transactions. */
const DEMOTED = /(?:^|[-:] ?)(?:READONLY|UNBLOCKED|LOADING|MASTERDOWN) /;

/** Returns whether a server rejected a command because it is not the primary: another connection may lead to that. */
export const isDemoted = (error: Error): boolean => DEMOTED.test(error.message);

/** Error replies that are about the state of Redis, not the command. */
const SERVER_ERRORS = /^(OOM|MISCONF|BUSY|NOREPLICAS|CLUSTERDOWN|TRYAGAIN)\b/;
/** The client's messages about a lost connection; it has no error classes for them. */
const CONNECTION_ERRORS =
  /^(Connection is closed|Command timed out|Stream isn't writeable|Reached the max retries|Cluster isn't ready|Cluster is ended|None of startup nodes|Failed to refresh slots|Too many Cluster redirections|Command aborted due to connection close|No subscriber for the cluster)/;

/** Returns whether Redis or the connection failed, not the command: it may succeed later. */
export const isRedisError = (error: unknown): boolean =>
  error instanceof Error &&
  (SERVER_ERRORS.test(error.message) || CONNECTION_ERRORS.test(error.message) || isDemoted(error));

/** Returns whether Redis has no memory left, and so rejects every write. */
export const isRedisFull = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('OOM ');
