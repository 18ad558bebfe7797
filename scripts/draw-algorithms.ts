/**
 * Draws docs/images/: how each algorithm admits a burst and a steady stream, by asking the reference
 * models. With --check it writes nothing, and fails if a picture is stale. `npm run drawings`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { picture } from './drawings/picture.ts';
import { SUBJECTS } from './drawings/subjects.ts';

const root = join(import.meta.dirname, '..');
const directory = 'docs/images';
const isCheck = process.argv.includes('--check');

mkdirSync(join(root, directory), { recursive: true });
for (const subject of SUBJECTS) {
  const name = `${directory}/${subject.name.replaceAll('_', '-')}.svg`;
  const path = join(root, name);
  const text = await picture(subject);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`${name} is stale: run npm run drawings`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`wrote ${name}`);
  }
}
