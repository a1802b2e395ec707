import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Config, ConfigError } from '../platform/config.ts';
import { jsonOr } from '../platform/json.ts';
import { fileErrorText } from '../platform/system-error.ts';
import { CLIENT_NAME, INTAKE_RIGHTS, SCOPES } from './key-record.ts';

const Role = z.strictObject({
  /** One of those that the claim may have. */
  value: z.string().min(1),
  /** Whom people with this value act for. */
  client: z.string().regex(CLIENT_NAME),
  scopes: z.array(z.enum(SCOPES)).min(1),
  /** Parts of `/intake`; by default all. */
  intake: z.array(z.enum(INTAKE_RIGHTS)).optional(),
});

/** What people may do who have a value of the claim. */
export type Role = z.infer<typeof Role>;

/** How people sign in to the console by OpenID Connect. */
export interface OidcSettings {
  issuer: URL;
  /** What people call the provider. */
  name: string;
  clientId: string;
  /** Without one, the service is a public client. */
  clientSecret: string | undefined;
  /** What is asked for, separated by spaces. */
  scope: string;
  /** The name of the claim that says who may do what, or its path with dots. */
  claim: string;
  /** The first that a person has is in effect. */
  roles: readonly Role[];
  /** Where browsers reach the service, without a slash at the end. */
  publicUrl: string;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function readSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigError([`OIDC_CLIENT_SECRET_FILE: ${fileErrorText(error)}`]);
  }
}

function readRoles(text: string): Role[] {
  const roles = jsonOr(text);
  if (roles === undefined) throw new ConfigError(['OIDC_ROLES: is not JSON']);
  const parsed = z.array(Role).min(1).safeParse(roles);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map(({ path, message }) => `OIDC_ROLES: /${path.join('/')}: ${message}`),
  );
}

/** Returns how people sign in by OpenID Connect; undefined if the settings name no issuer. @throws ConfigError */
export function readOidcSettings(config: Config): OidcSettings | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_ROLES, PUBLIC_URL } = config;
  if (OIDC_ISSUER === undefined) return undefined;
  const issuer = new URL(OIDC_ISSUER);
  if (issuer.protocol === 'http:' && !LOOPBACK.test(issuer.hostname)) {
    throw new ConfigError(['OIDC_ISSUER: must be https, except on this machine']);
  }
  if (OIDC_CLIENT_ID === undefined || OIDC_ROLES === undefined || PUBLIC_URL === undefined) {
    const missing = Object.entries({ OIDC_CLIENT_ID, OIDC_ROLES, PUBLIC_URL })
      .filter(([, value]) => value === undefined)
      .map(([name]) => `${name}: is needed, because OIDC_ISSUER is set`);
    throw new ConfigError(missing);
  }
  const { OIDC_CLIENT_SECRET, OIDC_CLIENT_SECRET_FILE: file } = config;
  return {
    issuer,
    name: config.OIDC_NAME ?? issuer.host,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET ?? (file === undefined ? undefined : readSecret(file)),
    scope: config.OIDC_SCOPES,
    claim: config.OIDC_CLAIM,
    roles: readRoles(OIDC_ROLES),
    publicUrl: PUBLIC_URL,
  };
}
