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
 * What Node.js's own JavaScript reads before ours runs: to whom a child process or a worker of a cluster
 * talks, which would take descriptors of ours or refuse to start, and what is to be printed.
 */
const UNHEARD_BY_SCRIPTS = [
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
  'NODE_DEBUG',
];

/**
 * Makes a Node.js binary deaf to these variables, in place: the name that it asks the environment for
 * begins with the end of the text, so that it is empty, and no variable has an empty name. Throws where a
 * name doesn't stand in it as it is known to: another Node.js may ask in another way.
 */
export function deafen(binary: Buffer): void {
  for (const name of UNHEARD_BY_SCRIPTS) deafenScripts(binary, name);
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

/**
 * A script stands in the binary as its text, and compiled, with the name as a text of V8: both, since either
 * may be what runs.
 */
function deafenScripts(binary: Buffer, name: string): void {
  const read = `process.env.${name}`;
  const sources = placesOf(binary, read).filter(
    (at) => !/\w/.test(String.fromCharCode(binary[at + read.length] ?? 0)),
  );
  const compiled = placesOf(binary, name).filter((at) => isTextOfV8(binary, at, name));
  if (sources.length === 0 || compiled.length === 0) {
    throw new Error(`Node.js's scripts don't read ${name} as they did: see scripts/packaging/deaf-node.ts`);
  }
  for (const at of sources) binary.write("process.env['']".padEnd(read.length), at, 'latin1');
  for (const at of compiled) binary[at] = 0;
}

/** Where the name stands as a text of C: between two zero bytes, and not as one of V8. */
function namesIn(binary: Buffer, name: string): number[] {
  return placesOf(binary, `\0${name}\0`)
    .map((at) => at + 1)
    .filter((at) => !isTextOfV8(binary, at, name));
}

/** V8 has the count of its letters before it. */
function isTextOfV8(binary: Buffer, at: number, text: string): boolean {
  return binary.readUInt32LE(at - 4) === text.length;
}

function placesOf(binary: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = binary.indexOf(text); at !== -1; at = binary.indexOf(text, at + 1)) places.push(at);
  return places;
}
