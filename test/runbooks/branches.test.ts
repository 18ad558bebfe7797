import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diagnosed } from '../../src/operations/runbook/check-runbook.ts';
import { findRunbook, type Runbook, runbookNames } from '../../src/operations/runbook/runbook.ts';
import { madeUpFacts } from './made-up-node.ts';
import { NODE_PLACES } from './places/of-nodes.ts';
import { STORE_PLACES } from './places/of-stores.ts';

const PLACES = { ...STORE_PLACES, ...NODE_PLACES };

const withTable = runbookNames()
  .map(findRunbook)
  .filter((runbook) => runbook !== undefined)
  .filter(({ branches }) => branches.length > 0);

describe('the diagnosis of a runbook', () => {
  it('has made-up nodes for each, and for no other', () => {
    deepEqual(Object.keys(PLACES).sort(), withTable.map(({ name }) => name).sort());
  });

  for (const runbook of withTable) {
    const places = PLACES[runbook.name] ?? [];
    for (const [title, node] of places) {
      it(`${runbook.name}: ${title} (${node || 'a healthy node'})`, () => {
        const { branch, steps } = diagnosed(runbook, madeUpFacts(node));
        equal(branch?.title, title, JSON.stringify(steps, null, 1));
      });
    }

    it(`${runbook.name} has a node for each of its rows, so that none is out of reach`, () => {
      const reached = new Set(places.map(([, node]) => rowOf(runbook, node)));
      const rest = runbook.branches.filter(
        ({ condition }, row) => condition?.text !== 'answers == no' && !reached.has(row),
      );
      deepEqual(
        rest.map(({ condition, title }) => `${condition?.text ?? 'otherwise'}: ${title}`),
        [],
      );
    });

    if (!runbook.branches.some(({ condition }) => condition?.text === 'answers == no')) continue;
    it(`${runbook.name} says so where the node does not answer`, () => {
      const { branch, steps } = diagnosed(runbook, madeUpFacts('answers no'));
      equal(steps.find(({ holds }) => holds === true)?.condition, 'answers == no');
      equal(branch?.title, steps.find(({ holds }) => holds === true)?.title);
    });
  }
});

/** Which of its rows is the first to hold. */
function rowOf(runbook: Runbook, node: string): number {
  return diagnosed(runbook, madeUpFacts(node)).steps.findIndex(({ holds }) => holds === true);
}
