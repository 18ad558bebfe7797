/**
 * Writes the files that are made from declarations in the source. With --check it writes nothing,
 * and fails if one of them is stale. `npm run docs`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rulesJsonSchema } from '../src/policy/rules/json-schema.ts';
import { cliPage } from './docs/cli-page.ts';
import { bashCompletion } from './docs/completions/bash-completion.ts';
import { fishCompletion } from './docs/completions/fish-completion.ts';
import { zshCompletion } from './docs/completions/zsh-completion.ts';
import { configurationPage } from './docs/configuration-page.ts';
import { exampleFile } from './docs/example-file.ts';
import { commandManual } from './docs/man/command-page.ts';
import { configurationManual } from './docs/man/configuration-page.ts';
import { rulesManual } from './docs/man/rules-page.ts';
import { metricsPage } from './docs/metrics-page.ts';
import { dataDocument, managementDocument } from './docs/openapi/plane-documents.ts';
import { planeRoutes } from './docs/plane-routes.ts';
import { redisFaultsPage } from './docs/redis-faults-page.ts';
import { rolesPage } from './docs/roles-page.ts';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');

const routes = await planeRoutes();

const files = {
  'docs/configuration.md': configurationPage(),
  'docs/cli.md': cliPage(),
  'docs/metrics.md': metricsPage(),
  'docs/redis-faults.md': redisFaultsPage(),
  'packaging/brume.conf': exampleFile(),
  'packaging/man/brume.1': commandManual(),
  'packaging/man/brume.conf.5': configurationManual(),
  'packaging/man/brume-rules.5': rulesManual(),
  'packaging/completions/brume.bash': bashCompletion(),
  'packaging/completions/_brume': zshCompletion(),
  'packaging/completions/brume.fish': fishCompletion(),
  'docs/roles.md': rolesPage(routes),
  'docs/openapi.json': await managementDocument(routes),
  'docs/openapi-data.json': await dataDocument(routes),
  'docs/rules.schema.json': `${JSON.stringify(rulesJsonSchema(), null, 2)}\n`,
};

for (const [name, text] of Object.entries(files)) {
  const path = join(root, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`${name} is stale: run npm run docs`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${name}`);
  }
}
