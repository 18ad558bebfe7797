/**
 * Waits until the Brume that scripts/run started is ready. On the first start it then makes a
 * project, a namespace and a key through the command line, and shows how to use them; later it says
 * how to get another key. Its argument is Brume's process id.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PROJECT = 'demo';
const NAMESPACE = 'demo';
const READY_TIMEOUT_MS = 30_000;

const brumePid = Number(process.argv[2]);
const executable = join(import.meta.dirname, '../dist/brume');
const socket = `--socket ${process.env.BRUME_ADMIN_SOCKET?.replace(`${process.cwd()}/`, '')}`;
const url = `http://${process.env.BRUME_LISTEN}`;

const projects = await projectsWhenReady();
if (projects?.includes(PROJECT)) say(anotherKey());
else if (projects !== undefined) say(await firstKey());

/**
 * The names of the projects, as soon as both planes answer. Undefined if Brume has ended, which says
 * why itself: at a taken port it is somebody else who answers, so that this is asked last.
 */
async function projectsWhenReady(): Promise<string[] | undefined> {
  const endMs = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < endMs) {
    const names = (await answersReady()) ? projectNames() : undefined;
    if (!isAlive(brumePid)) return undefined;
    if (names !== undefined) return names;
    await delay(100);
  }
  say(`Brume does not answer at ${url}/ready. Its log above should tell why.`);
  return undefined;
}

async function answersReady(): Promise<boolean> {
  try {
    return (await fetch(`${url}/ready`)).ok;
  } catch {
    return false;
  }
}

function anotherKey(): string {
  return `Brume is ready at ${url}; the project "${PROJECT}" is from an earlier start, its key was shown then.
Another key:  ./dist/brume key create ${PROJECT} NAME ${socket}`;
}

async function firstKey(): Promise<string> {
  brume('project', 'create', PROJECT);
  brume('namespace', 'create', PROJECT, NAMESPACE, '--limit', '10', '--window', '1m');
  const { key } = JSON.parse(brume('key', 'create', PROJECT, 'first', '--json'));

  const body = JSON.stringify({ namespace: NAMESPACE, identifier: 'alice' });
  // Peeks, so that the first answer to the line below is the one that README.md shows.
  const answer = await fetch(`${url}/v1/peek`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body,
  });
  return `Brume is ready at ${url}. It has a project "${PROJECT}" with a namespace "${NAMESPACE}":
10 checks a minute for each identifier. Its key, shown this once:

  ${key}

Ask whether alice may pass:

  curl -sS ${url}/v1/limit -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${body}'

Before the first check it is (as POST /v1/peek says, which consumes nothing):

  ${await answer.text()}

Manage it with ./dist/brume (help: ./dist/brume help), for example:
  ./dist/brume namespace list ${PROJECT} ${socket}
Ctrl-C stops Brume; what it holds stays in .brume/.`;
}

/** Undefined while the admin socket doesn't answer. */
function projectNames(): string[] | undefined {
  try {
    const { items }: { items: { name: string }[] } = JSON.parse(brume('project', 'list', '--json'));
    return items.map(({ name }) => name);
  } catch {
    return undefined;
  }
}

function brume(...command: string[]): string {
  return execFileSync(executable, command, { encoding: 'utf8', stdio: 'pipe' });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function say(text: string): void {
  process.stdout.write(`\n${text}\n\n`);
}
