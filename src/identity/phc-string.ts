/** What an argon2id hash costs. */
export interface Argon2Cost {
  /** KiB. */
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

export interface Argon2Hash extends Argon2Cost {
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const FORMAT =
  /^\$argon2id\$v=19\$m=([1-9][0-9]{0,9}),t=([1-9][0-9]{0,9}),p=([1-9][0-9]{0,7})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** `$argon2id$v=19$m=19456,t=2,p=1$SALT$TAG`: the PHC string format, base64 without padding. */
export function toPhcString({ memoryKib, passes, parallelism, salt, tag }: Argon2Hash): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Undefined if it isn't one of argon2id, version 1.3. */
export function parsePhcString(text: string): Argon2Hash | undefined {
  const [, memoryKib, passes, parallelism, salt = '', tag = ''] = FORMAT.exec(text) ?? [];
  if (memoryKib === undefined) return undefined;
  return {
    memoryKib: Number(memoryKib),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
