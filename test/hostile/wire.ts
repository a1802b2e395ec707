import { connect } from 'node:net';

/** Everything a server sent on one connection before closing it. */
export interface Exchange {
  text: string;
  /** Of each response, in order, including responses without a body (100). */
  statuses: number[];
}

/**
 * Writes bytes to a TCP connection and reads until the server closes or resets it.
 * @param readsLate whether the client reads nothing until the server has taken all bytes
 */
export function exchange(
  url: string,
  bytes: string | Uint8Array,
  { readsLate = false } = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes, () => socket.resume());
    });
    socket.setEncoding('latin1').on('data', (more) => {
      text += more;
    });
    if (readsLate) socket.pause();
    socket.on('error', () => {}); // reset while still writing: the bytes read so far count
    socket.on('close', () => {
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
        Number(status),
      );
      resolve({ text, statuses });
    });
  });
}

/** The body of the first response. */
export const bodyOf = ({ text }: Exchange): unknown =>
  JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));

/** A request as bytes. */
export const requestOf = (line: string, headers: readonly string[], body = ''): string =>
  [`${line} HTTP/1.1`, ...headers, '', body].join('\r\n');

/** One chunk of a chunked body and its end. */
export const chunked = (text: string): string =>
  `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
