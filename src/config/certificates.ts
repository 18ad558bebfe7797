import { X509Certificate } from 'node:crypto';

/** The certificates of a PEM text, in its order. Throws where one can't be read. */
export function certificatesIn(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}
