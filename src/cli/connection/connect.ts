import {
  type Client,
  type ClientOptions,
  createClient,
} from '../../../packages/client/src/client.ts';
import { resolveServerProfile, type ServerOptions } from './server-profile.ts';

/** Creates a client of the chosen server. @throws CliError if there is no server or no key */
export function connect(options: ServerOptions, more: ClientOptions = {}): Client {
  const { url, key } = resolveServerProfile(options, process.env);
  // Somebody waits at a terminal.
  return createClient({ baseUrl: url, key, retry: { maxAttempts: 5 }, ...more });
}
