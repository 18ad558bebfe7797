import type { ExpositionFormat } from './exposition.ts';

/**
 * The format that an Accept header asks for (RFC 9110, 12.5.1). Prometheus names OpenMetrics with the
 * higher quality; whoever names no preference, a person with curl for one, gets the plain text format.
 */
export function acceptedFormat(accept: string | undefined): ExpositionFormat {
  let openMetrics = 0;
  let text = 0;
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = qualityOf(parameters);
    if (type === 'application/openmetrics-text') openMetrics = Math.max(openMetrics, quality);
    if (type === 'text/plain') text = Math.max(text, quality);
  }
  return openMetrics > 0 && openMetrics >= text ? 'openmetrics' : 'prometheus';
}

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = given === undefined ? 1 : Number(given.slice(2));
  return quality >= 0 && quality <= 1 ? quality : 0;
}
