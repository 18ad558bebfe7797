import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { parseRule } from '../../src/policy/rule-input.ts';
import { socketServer } from '../client/socket-server.ts';
import { runWith } from './fake-terminal.ts';

const page = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```json\n(.*?)```\n\n```sh\nbrume (.*?)\n```/gs)];

describe('each example of docs/rules.md is the same rule as JSON and as a command', () => {
  test('there are examples', () => assert.ok(examples.length >= 5));
  for (const [, json = '', command = ''] of examples) {
    test(command, async (t) => {
      let rule: unknown;
      const socket = await socketServer(t, async (request, response) => {
        ({ rule } = JSON.parse(await textOf(request)));
        response.end(JSON.stringify({ id: 'ns_1', name: 'n', version: 1, updatedAt: '', rule }));
      });
      const { exitCode, stderr } = await runWith([...command.split(' '), '--socket', socket]);
      assert.equal(exitCode, 0, stderr);
      assert.deepEqual(parseRule(rule).json, parseRule(JSON.parse(json)).json);
    });
  }
});
