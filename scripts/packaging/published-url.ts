/** Among them what apt and dnf have variables behind (`$`), and what dnf parts a list by. */
const ESCAPED = /[$,;[\]^|]|%(?![0-9A-F]{2})/gi;

/**
 * The URL at which the repositories are served as it can stand in the settings of apt and dnf, without a
 * slash at its end. Throws an Error that says what would be right.
 */
export function publishedUrl(text: string): string {
  const example = 'it takes an address such as https://packages.example.org/brume';
  // The parser would leave out control characters without a word.
  if (/\p{Cc}/u.test(text) || !URL.canParse(text)) throw new Error(example);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error(example);
  if (url.username !== '' || url.password !== '') {
    throw new Error(`${example}, without a user and a password, which everybody would read`);
  }
  if (url.search !== '' || url.hash !== '') throw new Error(`${example}, without anything after ? or #`);
  const path = url.pathname.replaceAll(ESCAPED, (sign) => encodeURIComponent(sign));
  return `${url.origin}${path.replace(/\/+$/, '')}`;
}
