/** The longest identifier has 512 bytes. */
const scratch = Buffer.allocUnsafe(2048);
/** A character takes three bytes at most. */
const LENGTH_MAX = Math.floor(scratch.length / 3);

/**
 * A copy that stands for itself. V8 makes the part of a text a view of the whole: an identifier out of a
 * header or a URL, kept for long, would keep those 16 KiB too.
 */
export function ownText(text: string): string {
  if (text.length > LENGTH_MAX) return Buffer.from(text).toString();
  return scratch.toString('utf8', 0, scratch.write(text));
}
