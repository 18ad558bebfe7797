import { isSea } from 'node:sea';

// The executable is Brume and no Node.js: what is left for Node.js in the environment shall change
// neither it (NODE_TLS_REJECT_UNAUTHORIZED is read at each connection) nor a program that it starts.
// What Node.js would read before this line, the executable doesn't ask for (scripts/packaging/deaf-node.ts).
if (isSea()) {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('NODE_')) delete process.env[name];
  }
}
