// @ts-check
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

const DEFAULT_PORT = 6379;

/** @param {readonly string[]} command */
const encode = (command) =>
  [
    `*${command.length}`,
    ...command.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]),
    '',
  ].join('\r\n');

/**
 * Parses the complete replies (simple strings, errors, integers, bulk strings) in `received`.
 * @param {Buffer} received
 * @returns {(string | Error)[]}
 */
function parseReplies(received) {
  /** @type {(string | Error)[]} */
  const replies = [];
  for (let at = 0; ; ) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return replies;
    const kind = received.toString('latin1', at, at + 1);
    const text = received.toString('utf8', at + 1, lineEnd);
    at = lineEnd + 2;
    if (kind === '-') replies.push(new Error(text));
    else if (kind === '$' && Number(text) >= 0) {
      const end = at + Number(text);
      if (received.length < end + 2) return replies;
      replies.push(received.toString('utf8', at, end));
      at = end + 2;
    } else replies.push(text);
  }
}

/**
 * Sends one command over a new connection. A minimal RESP client, because this runs before any package is
 * installed.
 * @param {string} url `redis://` or `rediss://`, with user and password where needed
 * @param {readonly string[]} command
 * @param {number} [timeoutMillis]
 * @returns {Promise<string>}
 * @throws if it does not respond in time, or replies with an error
 */
export function sendCommand(url, command, timeoutMillis = 3000) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const where = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || DEFAULT_PORT };
  const user = username ? [decodeURIComponent(username)] : [];
  const login = password ? [['AUTH', ...user, decodeURIComponent(password)]] : [];
  const commands = [...login, command];
  const { REDIS_CA_FILE: authority } = process.env;
  const tls = { servername: where.host, ...(authority && { ca: readFileSync(authority) }) };
  return new Promise((resolve, reject) => {
    const socket = protocol === 'rediss:' ? connectTls({ ...where, ...tls }) : connect(where);
    let received = Buffer.alloc(0);
    socket.setTimeout(timeoutMillis, () => socket.destroy(new Error('no answer in time')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const replies = parseReplies(received);
      const failed = replies.find((reply) => reply instanceof Error);
      const last = replies[commands.length - 1];
      if (failed) reject(failed);
      else if (typeof last === 'string') resolve(last);
      else return;
      socket.destroy();
    });
    socket.write(commands.map(encode).join(''));
  });
}

/**
 * Returns the version of a Redis, or for Valkey the Redis version it is compatible with.
 * @param {string} url
 */
export async function redisVersion(url) {
  const info = await sendCommand(url, ['INFO', 'server']);
  return /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown';
}
