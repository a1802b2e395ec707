import { connect } from 'node:net';

/** What a server said on one connection before it closed it. */
export interface Said {
  text: string;
  /** Of each answer, in order; answers without a body of their own (100) too. */
  statuses: number[];
}

/** Writes bytes on a bare connection and reads until the server closes it, by whatever means. */
export function say(url: string, bytes: string | Uint8Array): Promise<Said> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (more) => {
      text += more;
    });
    socket.on('error', () => {}); // reset while we still write: what was read counts
    socket.on('close', () => {
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
        Number(status),
      );
      resolve({ text, statuses });
    });
  });
}

/** The body of the first answer. */
export const bodyOf = ({ text }: Said): unknown =>
  JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));

/** A request as bytes. */
export const requestOf = (line: string, headers: readonly string[], body = ''): string =>
  [`${line} HTTP/1.1`, ...headers, '', body].join('\r\n');

/** One piece of a chunked body and its end. */
export const chunked = (text: string): string =>
  `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
