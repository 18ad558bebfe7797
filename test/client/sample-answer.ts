import { shapeOf } from '../../src/client/answer-shapes.ts';

const VALUES = { string: 'x', number: 1, boolean: true, array: [], object: {} } as const;

/** The least that a client takes for Brume's answer to a request: the text of a body. */
export function sampleAnswer({
  method = '',
  url = '',
}: {
  method?: string | undefined;
  url?: string | undefined;
}): string {
  const shape = shapeOf(method, url);
  if (shape === 'nothing') return '';
  return JSON.stringify(
    Object.fromEntries(Object.entries(shape ?? {}).map(([name, member]) => [name, VALUES[member]])),
  );
}
