/** More than this is no document of an identity provider. */
const BODY_MAX_BYTES = 262_144;

/**
 * The JSON at a URL. Redirects are not followed, since they could lead anywhere. Rejects with an Error
 * whose message says what was wrong.
 */
export async function fetchJson(url: string, timeoutMs: number): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { accept: 'application/json, application/jwk-set+json' };
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`the status is ${response.status}`);
    }
    return JSON.parse(await boundedText(response));
  } catch (cause) {
    throw new Error(`GET ${url}: ${reasonOf(cause)}`, { cause });
  }
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > BODY_MAX_BYTES) throw new Error(`the answer is longer than ${BODY_MAX_BYTES} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

/** Of `fetch failed` the cause says more: a name that isn't known, a certificate that isn't trusted. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
