import type { IncomingHttpHeaders } from 'node:http';

/** Whether a request says that a body follows (RFC 9112, section 6.3). */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && Number(length) !== 0;
}
