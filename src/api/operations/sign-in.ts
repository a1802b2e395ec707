import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IdentityProvider } from '../../auth/identity-provider.ts';
import type { Rate } from '../../auth/limit-settings.ts';
import { SESSION_SECONDS } from '../../auth/sessions.ts';
import type { Gateway } from '../../gateway.ts';
import { isOverTls, sessionCookie, sessionIdOf } from '../../http/access.ts';
import { addressBlock } from '../../http/limits.ts';
import type { Reply } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';
import { escapeHtml } from '../escape-html.ts';
import { page, STATIC_PAGE } from './problem-pages.ts';

/** From the click in the console to the return from the provider, s. */
const SIGN_IN_SECONDS = 600;

/** Returns from the provider by address: each asks it whether they are genuine. */
const RETURNS: Rate = { count: 60, periodSeconds: 60 };

/** Addresses with a code in them go to no other site. */
const HEADERS = {
  ...STATIC_PAGE,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
} as const;

/** A browser shows it in place of a page of the console. */
function problemPage({ detail, headers }: Problem): Reply {
  const body = `<h1>You are not signed in</h1>
<p class="next">${escapeHtml(detail)}.</p>
<p><a href="/">Back to the sign-in</a></p>`;
  return {
    headers: { ...headers, ...HEADERS, 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(page('Not signed in', body).text), // a text would be sent as JSON
  };
}

/** Serves the two addresses by which a browser goes to a provider and comes back, and one for signing out there. */
export function serveSignIn(
  app: FastifyInstance,
  provider: IdentityProvider,
  { sessions, requestLimits }: Pick<Gateway, 'sessions' | 'requestLimits'>,
): void {
  const { publicUrl } = provider;
  const config = { problemReply: problemPage };
  const isSecure = ({ headers }: FastifyRequest) => isOverTls(publicUrl, headers);
  const attemptCookie = (attempt: string, request: FastifyRequest) =>
    sessionCookie(attempt, SIGN_IN_SECONDS, isSecure(request), 'sign-in');
  const redirect = (reply: FastifyReply, location: string) =>
    reply
      .headers({ ...HEADERS, location })
      .status(303)
      .send();

  app.get('/console/sign-in', { config }, async (request, reply) => {
    const attempt = randomBytes(32).toString('base64url');
    const { href } = await provider.begin(attempt);
    return redirect(reply.header('set-cookie', attemptCookie(attempt, request)), href);
  });

  app.get('/console/sign-in/callback', { config }, async (request, reply) => {
    const attempt = sessionIdOf(request.headers, isSecure(request), 'sign-in');
    if (!attempt) {
      throw new Problem(
        'invalid-request',
        'This sign-in was begun more than ten minutes ago, or in another browser; sign in again',
      );
    }
    reply.header('set-cookie', attemptCookie('', request)); // it serves once
    await requestLimits.countFailure(`returns:${addressBlock(request.ip ?? '')}`, RETURNS);
    const identity = await provider.finish(attempt, request.url.replace(/^[^?]*/, ''));
    const { caller, open } = await sessions.admit(identity);
    await requestLimits.admit(caller, 0);
    const id = await open();
    reply.header('set-cookie', sessionCookie(id, SESSION_SECONDS, isSecure(request)));
    return redirect(reply, `${publicUrl}/`);
  });

  app.get('/console/sign-in/end', { config }, async (_request, reply) => {
    const url = await provider.signOutUrl();
    return redirect(reply, url?.href ?? `${publicUrl}/`);
  });
}
