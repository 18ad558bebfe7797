/** A cluster shares its keys out by so many slots. */
export const SLOTS = 16_384;

/** Of CRC-16/XMODEM: polynomial 0x1021, high bit first, from 0. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 8;
  for (let bit = 0; bit < 8; bit++) sum = (sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ 0x1021;
  return sum & 0xffff;
});

/**
 * The slot of a key: by what stands in its first braces, if anything does, else by all of it
 * (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags).
 */
export function slotOf(key: string): number {
  const from = key.indexOf('{');
  const to = from < 0 ? -1 : key.indexOf('}', from + 1);
  const hashed = to > from + 1 ? key.slice(from + 1, to) : key;
  let sum = 0;
  for (const byte of Buffer.from(hashed)) sum = ((sum << 8) & 0xffff) ^ (TABLE[(sum >> 8) ^ byte] ?? 0);
  return sum % SLOTS;
}
