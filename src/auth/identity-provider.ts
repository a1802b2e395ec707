import { createHmac } from 'node:crypto';
import * as oidc from 'openid-client';
import { Agent, fetch as undiciFetch } from 'undici';
import { Problem, unavailable } from '../platform/problem.ts';
import { codeOf } from '../platform/system-error.ts';
import type { OidcSettings } from './oidc-settings.ts';

/** Of each request to the provider, s. */
const TIMEOUT_SECONDS = 10;
/** How long what the provider says about itself is used, ms; it publishes new signing keys apart. */
const METADATA_MILLIS = 3_600_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Values of a claim that are looked at, and their characters. */
const MAX_VALUES = 1000;
const MAX_VALUE_CHARS = 200;

export interface Identity {
  /** Unique at the provider. */
  subject: string;
  email: string | undefined;
  /** Those of the claim that says who may do what. */
  values: readonly string[];
}

/** The values of one sign-in that bind the provider's answer to the browser. */
const bindingOf = (secret: Uint8Array, attempt: string) => {
  const derive = (purpose: string): string =>
    createHmac('sha256', secret).update(`${purpose} ${attempt}`).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
};

type Claims = Readonly<Record<string, unknown>>;

/** Returns the member of a name, or of a path with dots if there is none. */
function memberAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, step)
          ? (value as Claims)[step]
          : undefined,
      claims,
    );
}

/** Returns the values of a claim: a text or a list of texts. Anyone can enter an e-mail that nobody has verified. */
function valuesOf(claims: Claims, name: string): string[] {
  if (name === 'email' && claims.email_verified !== true) return [];
  return [memberAt(claims, name) ?? []]
    .flat()
    .slice(0, MAX_VALUES)
    .filter((value) => typeof value === 'string')
    .filter((value) => value.length <= MAX_VALUE_CHARS);
}

const agent = new Agent({ maxResponseSize: MAX_RESPONSE_BYTES });

/** Sends the secret as the provider takes it; the default of OpenID Connect is HTTP Basic. */
function secretAuth(secret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const isBasic = methods?.includes('client_secret_basic') ?? true;
    return (isBasic ? basic : post)(server, ...rest);
  };
}

/** Reads no more than a provider has to say. */
const limitedFetch = (url: string, options: object): Promise<Response> =>
  undiciFetch(url, { ...options, dispatcher: agent }) as unknown as Promise<Response>;

/** What went wrong, for the log; never what the provider has sent. */
function causeOf(error: unknown): Error {
  const texts: string[] = [];
  for (let at = error; at instanceof Error && texts.length < 4; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? `${at.code} ` : '';
    texts.push(`${code}${at.message}`);
  }
  return new Error(texts.join(': '));
}

/** An error code of OAuth, which a browser may have been sent with; nothing else of it is repeated. */
const errorCode = (text: string): string => (/^[\w.-]{1,60}$/.test(text) ? text : 'an error');

const UNREACHABLE = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'];
const isAboutIssuer = ({ cause }: Error): boolean =>
  typeof cause === 'object' &&
  cause !== null &&
  'attribute' in cause &&
  cause.attribute === 'issuer';

function distrust(error: unknown, code: string): string {
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED')
    return 'its clock and that of this service differ; tell the operator to compare them';
  if (error instanceof Error && isAboutIssuer(error))
    return 'it says that it is another issuer; tell the operator to correct OIDC_ISSUER';
  return 'its answer is not valid; sign in again, and tell the operator';
}

function problemOf(error: unknown, name: string): Problem {
  const cause = causeOf(error);
  const code = codeOf(error);
  if (error instanceof oidc.AuthorizationResponseError) {
    const detail = `${name} has not signed you in: ${errorCode(error.error)}`;
    return new Problem('unauthorized', detail, { cause });
  }
  if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') {
    const detail = 'This sign-in was used before, or has expired; sign in again';
    return new Problem('unauthorized', detail, { cause });
  }
  const isRejected =
    error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError;
  if (isRejected) {
    const detail = `${name} rejects this service; tell the operator to check OIDC_CLIENT_ID and its secret`;
    return new Problem('upstream-failed', detail, { cause });
  }
  if (UNREACHABLE.includes(code) || (error instanceof TypeError && code === '')) {
    return unavailable(`${name} cannot be reached; try again later, or use a key`, 5, cause);
  }
  const detail = `${name} cannot be trusted: ${distrust(error, code)}`;
  return new Problem('upstream-failed', detail, { cause });
}

/** An OpenID provider at which people sign in: authorization code flow with PKCE, state and nonce. */
export class IdentityProvider {
  readonly #settings: OidcSettings;
  readonly #secret: Uint8Array;
  readonly #callback: string;
  #known: { configuration: Promise<oidc.Configuration>; until: number } | undefined;

  /** @param secret binds answers to browsers; the same for all gateways */
  constructor(settings: OidcSettings, secret: Uint8Array) {
    this.#settings = settings;
    this.#secret = secret;
    this.#callback = `${settings.publicUrl}/console/sign-in/callback`;
  }

  /** Where browsers reach the service. */
  get publicUrl(): string {
    return this.#settings.publicUrl;
  }

  /** What the console shows: the provider's name, and where a browser begins and ends. */
  get links(): { name: string; signIn: string; signOut: string } {
    const { name, publicUrl } = this.#settings;
    const signIn = `${publicUrl}/console/sign-in`;
    return { name, signIn, signOut: `${signIn}/end` };
  }

  /** @param attempt random, known to that browser only @throws Problem */
  async begin(attempt: string): Promise<URL> {
    const { state, nonce, verifier } = bindingOf(this.#secret, attempt);
    const configuration = await this.#configuration();
    return oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#callback,
      scope: this.#settings.scope,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /**
   * Returns whom the provider has signed in.
   * @param query of the address to which it has sent the browser, from the question mark
   * @throws Problem
   */
  async finish(attempt: string, query: string): Promise<Identity> {
    const { state, nonce, verifier } = bindingOf(this.#secret, attempt);
    const url = new URL(query, this.#callback);
    if (url.searchParams.get('state') !== state) {
      throw new Problem('invalid-request', 'A later sign-in has replaced this one; sign in again');
    }
    const configuration = await this.#configuration();
    return this.#asked(async () => {
      const tokens = await oidc.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!; // expected
      return this.#identityOf(configuration, claims.sub, claims, tokens.access_token);
    });
  }

  /** Returns the address at which a browser signs out at the provider too, or undefined if it has none. @throws Problem */
  async signOutUrl(): Promise<URL | undefined> {
    const configuration = await this.#configuration();
    if (!configuration.serverMetadata().end_session_endpoint) return undefined;
    return oidc.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: `${this.#settings.publicUrl}/`,
    });
  }

  /** Many providers say in the ID token only who somebody is, and the rest where the access token is valid. */
  async #identityOf(
    configuration: oidc.Configuration,
    subject: string,
    idToken: Claims,
    accessToken: string,
  ): Promise<Identity> {
    const { claim } = this.#settings;
    const isWhole = memberAt(idToken, claim) !== undefined && idToken.email !== undefined;
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more =
      isWhole || !hasMore ? {} : await oidc.fetchUserInfo(configuration, accessToken, subject);
    const claims: Claims = { ...more, ...idToken };
    const { email, email_verified: isVerified } = claims;
    const isShown = typeof email === 'string' && isVerified !== false && email.length <= 254;
    return {
      subject,
      email: isShown ? email : undefined,
      values: valuesOf(claims, claim),
    };
  }

  /** What the provider says about itself, asked for once in an hour, by all sign-ins together. */
  #configuration(): Promise<oidc.Configuration> {
    const now = performance.now();
    if (this.#known && now < this.#known.until) return this.#known.configuration;
    const configuration = this.#asked(() => this.#discover());
    const known = { configuration, until: now + METADATA_MILLIS };
    this.#known = known;
    configuration.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return configuration;
  }

  #discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    return oidc.discovery(
      issuer,
      clientId,
      undefined,
      clientSecret === undefined ? oidc.None() : secretAuth(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        [oidc.customFetch]: limitedFetch,
        execute: [
          // Signatures are checked although TLS vouches for them.
          oidc.enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
  }

  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw problemOf(error, this.#settings.name);
    }
  }
}
