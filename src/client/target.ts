/** Where Brume is reached, and the headers (a key, a name) that go with every request. */
export type Target = ({ readonly socketPath: string } | { readonly url: string }) & {
  readonly headers?: Readonly<Record<string, string>>;
};
