/**
 * Lets whoever is on the guest's network in to what listens on Unix sockets of this machine: `passage.ts
 * [[PORT, PATH], …]` as JSON. Prints `open`, and goes when standard input ends.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const places: readonly (readonly [number, string])[] = JSON.parse(process.argv[2] ?? '');
for (const [port, path] of places) {
  const server = createServer((near) => {
    const far = connect(path);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}
console.log('open');
await once(process.stdin.resume(), 'end');
process.exit();
