/** A request as an end user sends it to a proxy, and the address from which it comes. */
export interface EndUserRequest {
  readonly from: string;
  readonly method?: string;
  readonly path: string;
  /** As they stand on the wire: a name may come twice. */
  readonly lines?: readonly string[];
}

/** Names in small letters to all values, in order. */
export type HeaderValues = Map<string, string[]>;

export function headersOf({ lines = [] }: EndUserRequest): HeaderValues {
  const headers: HeaderValues = new Map();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  return headers;
}

/** Removes what `Connection` names, and itself, as every proxy has to (RFC 9110, 7.6.1). */
export function dropHopByHop(headers: HeaderValues): void {
  const named = (headers.get('connection') ?? []).flatMap((value) => value.split(','));
  const always = [
    'connection',
    'keep-alive',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ];
  for (const name of [...named, ...always]) headers.delete(name.trim().toLowerCase());
}
