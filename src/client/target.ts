/** Where Brume is reached: a Unix socket, or a URL with the headers (a key) that it asks for. */
export type Target =
  | { readonly socketPath: string }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
