/** What a key may be allowed to do. The contract's names. */
export const SCOPES = [
  'background-removal:process',
  'taxonomy:classify',
  'look-engine:read',
  'look-engine:compute',
  'look-engine:calibrate',
  // Not of the contract: for whoever runs this, to look at the queues.
  'operations:read',
] as const;

export type Scope = (typeof SCOPES)[number];
