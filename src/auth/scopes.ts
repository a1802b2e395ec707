/** The scopes a key can have. Their names are part of the contract. */
export const SCOPES = [
  'background-removal:process',
  'taxonomy:classify',
  'look-engine:read',
  'look-engine:compute',
  'look-engine:calibrate',
  // Not part of the contract: opens the queue dashboard to operators.
  'operations:read',
] as const;

export type Scope = (typeof SCOPES)[number];
