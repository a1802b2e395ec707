import { generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Provider } from 'oidc-provider';
import { freePort } from './free-port.ts';

/** People who can sign in, with any password: their groups and e-mail. */
const PEOPLE: Readonly<Record<string, { groups: string[]; email?: string }>> = {
  ann: { groups: ['staff', 'editors'], email: 'ann@shop.example' },
  bob: { groups: ['editors'] },
  eve: { groups: ['<b>visitors</b>'], email: 'eve@elsewhere.example' },
  olga: { groups: ['orphans'] },
};

type Body = Record<string, unknown>;

export interface OidcProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What it answers in place of the truth, by route: `discovery`, `token`. */
  lies: Map<string, (body: Body) => unknown>;
  /** Returns a token with other claims, under the signature of the provider. */
  resigned(token: unknown, claims: Body): string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (part = ''): Body => JSON.parse(Buffer.from(part, 'base64url').toString());

/** Starts a real OpenID provider on this machine, with its own pages to sign in. @param console where browsers come back */
export async function startOidcProvider(console: string): Promise<OidcProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const [clientId, clientSecret] = ['selvage-console', 'a-secret-with-signs:%&=+/?'];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key: JsonWebKey = privateKey.export({ format: 'jwk' });
  const lies: OidcProvider['lies'] = new Map();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${console}/console/sign-in/callback`],
        post_logout_redirect_uris: [`${console}/`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    cookies: { keys: ['of this test'] },
    jwks: { keys: [{ ...key, kty: 'RSA', kid: 'first', use: 'sig', alg: 'RS256' }] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email_verified: true, ...PEOPLE[id] }),
    }),
  });
  provider.use(async (context, next) => {
    await next();
    const lie = lies.get(context.oidc?.route);
    if (lie) context.body = lie(context.body as Body);
  });
  let server: Server;
  async function start(): Promise<void> {
    server = provider.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  await start();
  return {
    issuer,
    clientId,
    clientSecret,
    lies,
    resigned(token, claims) {
      const [head = '', payload] = String(token).split('.');
      const signed = `${head}.${encode({ ...decode(payload), ...claims })}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    },
    start,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
