import { isAbsolute, normalize } from 'node:path';
import { type Kind, quoted } from './kind.ts';

/** `sun_path` holds 108 bytes with its closing NUL. */
const SOCKET_PATH_BYTES_MAX = 107;

/** An absolute path of a directory. */
export function directory(): Kind<string> {
  return {
    expected: 'an absolute path',
    schema: { type: 'string', format: 'brume-directory' },
    fault: pathFault,
    value: (checked) => normalize(String(checked)),
  };
}

/** An absolute path of a file. */
export function filePath(): Kind<string> {
  return {
    expected: 'the absolute path of a file',
    schema: { type: 'string', format: 'brume-file' },
    fault: (text) =>
      pathFault(text) ?? (text.endsWith('/') ? `${quoted(text)} names a directory, not a file` : undefined),
    value: (checked) => normalize(String(checked)),
  };
}

/** An absolute path at which a Unix socket is made. */
export function socketPath(): Kind<string> {
  return {
    expected: `an absolute path of at most ${SOCKET_PATH_BYTES_MAX} bytes`,
    schema: { type: 'string', format: 'brume-socket-path' },
    fault: socketFault,
    value: (checked) => normalize(String(checked)),
  };
}

/** As `socketPath`, or `off`, which becomes null. */
export function socketPathOrOff(): Kind<string | null> {
  const path = socketPath();
  return {
    expected: `${path.expected}, or off`,
    schema: { type: 'string', format: 'brume-socket-path-or-off' },
    fault: (text) => (text === 'off' ? undefined : socketFault(text)),
    value: (checked) => (checked === 'off' ? null : path.value(checked)),
  };
}

function pathFault(text: string): string | undefined {
  if (text.includes('\0')) return 'the path contains a NUL character';
  return isAbsolute(text) ? undefined : `${quoted(text)} is not an absolute path`;
}

function socketFault(text: string): string | undefined {
  const fault = pathFault(text);
  if (fault !== undefined) return fault;
  if (text.endsWith('/')) return `${quoted(text)} names a directory, not a socket`;
  const bytes = Buffer.byteLength(normalize(text));
  return bytes > SOCKET_PATH_BYTES_MAX ? `${quoted(text)} is ${bytes} bytes long` : undefined;
}
