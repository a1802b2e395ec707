import { type Client, type ClientOptions, createClient } from '../../client/client.ts';
import { findPlace, type PlaceOptions } from './server-profile.ts';

/** A client of the server that is meant. @throws CliError where there is none, or no key */
export function connect(options: PlaceOptions, more: ClientOptions = {}): Client {
  const { url, key } = findPlace(options, process.env);
  return createClient({ baseUrl: url, key, ...more });
}
