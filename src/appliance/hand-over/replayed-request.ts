import { IncomingMessage } from 'node:http';

/** The same request once more, with the body that was read of it. Nobody is to be asked for that again. */
export function replayedRequest(request: IncomingMessage, body: Buffer): IncomingMessage {
  const again = new IncomingMessage(request.socket);
  again.httpVersion = request.httpVersion;
  again.httpVersionMajor = request.httpVersionMajor;
  again.httpVersionMinor = request.httpVersionMinor;
  again.method = request.method ?? '';
  again.url = request.url ?? '';
  again.rawHeaders = headersExcept(request.rawHeaders, ['expect']);
  const { expect, ...headers } = request.headers;
  again.headers = headers;
  again.push(body);
  again.push(null);
  again.complete = true;
  return again;
}

/** Names and values by turns, as Node gives and takes them; the names to leave out in lower case. */
export function headersExcept(rawHeaders: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!names.includes(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
