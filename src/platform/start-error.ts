/** Why a process cannot start, in words for its operator: printed without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}

/** Prints why a process cannot start, and ends it. */
export function endStart(error: unknown): never {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
