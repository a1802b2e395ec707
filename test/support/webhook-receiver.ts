import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { plantServer, serve } from './servers.ts';

/** A request that a receiver got. */
export interface Message {
  headers: Record<string, string>;
  body: string;
}

/** Returns the event of a message, whose signature is right. */
export const verify = (secret: string, { headers, body }: Message = { headers: {}, body: '' }) =>
  new Webhook(secret).verify(body, headers);

/** A receiver that takes the next response for each request, and then the last one repeatedly. */
export async function plantReceiver(...responses: RequestListener[]) {
  const messages: Message[] = [];
  const { origin } = await plantServer(async (request, response) => {
    const respond = responses[Math.min(messages.length, responses.length - 1)] ?? serve('');
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    messages.push({ headers: Object.fromEntries(headers), body: await text(request) });
    respond(request, response);
  });
  return { url: `${origin}/hook?token=CANARY`, messages };
}
