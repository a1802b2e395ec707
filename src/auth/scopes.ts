/** The scopes a key can have. Their names are part of the contract. */
export const SCOPES = [
  'background-removal:process',
  'taxonomy:classify',
  'look-engine:read',
  'look-engine:compute',
  'look-engine:calibrate',
  // Not part of the contract: a client's own keys, usage and requests.
  'account',
  // Neither, for operators: the queue dashboard, and who gets access.
  'operations:read',
  'operations:access',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Those that clients may ask for. */
export const CLIENT_SCOPES = SCOPES.filter((scope) => !scope.startsWith('operations:'));

/** The name of a client. */
export const CLIENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The parts of `/intake` that a key may use, besides the scopes of the operations it asks for. */
export const INTAKE_RIGHTS = ['jobs', 'review', 'sources', 'settings', 'webhooks'] as const;

export type IntakeRight = (typeof INTAKE_RIGHTS)[number];

/** Scopes of operations that `/intake` runs. */
const INTAKE_SCOPES: readonly Scope[] = ['background-removal:process', 'taxonomy:classify'];

/**
 * Returns the parts of `/intake` that a key may use: those it was given, else all, as keys of earlier versions. A key
 * with no scope of an operation there may use none.
 */
export const rightsOf = ({
  scopes,
  intake = INTAKE_RIGHTS,
}: {
  scopes: readonly Scope[];
  intake?: readonly IntakeRight[] | undefined;
}): readonly IntakeRight[] => (scopes.some((scope) => INTAKE_SCOPES.includes(scope)) ? intake : []);
