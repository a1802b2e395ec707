/**
 * Undoes an acceptance that failed: removes its records, and only when they are gone what they refer to. The failure
 * may have come after a record was written: one that cannot be removed keeps its image or manifest, and the request
 * can be sent again.
 */
export async function undoAcceptance(
  records: readonly Promise<unknown>[],
  rest: () => readonly (Promise<unknown> | undefined)[],
): Promise<void> {
  const removals = await Promise.allSettled(records);
  if (removals.every(({ status }) => status === 'fulfilled')) await Promise.allSettled(rest());
}
