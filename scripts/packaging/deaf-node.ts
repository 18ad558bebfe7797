/**
 * What Node.js reads from the environment before a line of ours runs, and by which somebody could load
 * code, trust certificates, or have files read or written. `execArgvExtension: 'none'` is only about
 * NODE_OPTIONS, and turns NODE_REPL_EXTERNAL_MODULE into a refusal to start.
 */
const UNHEARD = [
  'NODE_OPTIONS',
  'NODE_REPL_EXTERNAL_MODULE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'NODE_USE_ENV_PROXY',
  'NODE_COMPILE_CACHE',
  'NODE_COMPILE_CACHE_PORTABLE',
  'NODE_V8_COVERAGE',
  'NODE_REDIRECT_WARNINGS',
  'NODE_PENDING_DEPRECATION',
  'NODE_PRESERVE_SYMLINKS',
  'NODE_PRESERVE_SYMLINKS_MAIN',
  'NODE_DEBUG_NATIVE',
  'NODE_ICU_DATA',
  'ICU_TIMEZONE_FILES_DIR',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/**
 * Makes a Node.js binary deaf to these variables, in place: the name that it asks the environment for
 * begins with the end of the text, so that it is empty, and no variable has an empty name. Throws unless each
 * name stands in it exactly once: another Node.js may ask in another way.
 */
export function deafen(binary: Buffer): void {
  for (const name of UNHEARD) {
    const places = namesIn(binary, name);
    const [place] = places;
    if (place === undefined || places.length > 1) {
      throw new Error(
        `Node.js has the name ${name} ${places.length} times, not once: see scripts/packaging/deaf-node.ts`,
      );
    }
    binary[place] = 0;
  }
}

/** Where the name stands as a text of C: between two zero bytes, and not with V8's count of its letters before it. */
function namesIn(binary: Buffer, name: string): number[] {
  const places: number[] = [];
  const pattern = `\0${name}\0`;
  for (let at = binary.indexOf(pattern); at !== -1; at = binary.indexOf(pattern, at + 1)) {
    if (binary.readUInt32LE(at - 3) !== name.length) places.push(at + 1);
  }
  return places;
}
