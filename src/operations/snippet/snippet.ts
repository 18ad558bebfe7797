import { assetText } from '../../assets.ts';
import { OperationError } from '../operation-error.ts';
import { type Change, type Filling, FRONT_ENDS, type FrontEnd, type FrontEndName } from './front-ends.ts';

export interface SnippetFile {
  readonly file: string;
  /** Where it belongs on a Debian system. */
  readonly place: string;
  readonly text: string;
}

/**
 * The packaged files of a front end, filled in. Throws OperationError where it can't do what it is
 * asked for.
 */
export function snippet(name: FrontEndName, filling: Filling): SnippetFile[] {
  const frontEnd: FrontEnd = FRONT_ENDS[name];
  const changes = changesOf(name, frontEnd, filling);
  const files = frontEnd.files.map(({ file, place }) => ({
    file,
    place,
    text: assetText(`packaging/${name}/${file}`),
  }));
  for (const [from] of changes) {
    if (!files.some(({ text }) => text.includes(from))) throw new Error(`packaging/${name} has no "${from}"`);
  }
  return files.map(({ text, ...rest }) => ({
    ...rest,
    text: changes.reduce((changed, [from, to]) => changed.replaceAll(from, () => to), text),
  }));
}

function changesOf(name: FrontEndName, frontEnd: FrontEnd, filling: Filling): Change[] {
  const { namespace, listen, keyFile, whenUnjudged } = filling;
  const changes: Change[] = [];
  if (namespace !== undefined) changes.push(...frontEnd.namespace(namespace));
  if (listen !== undefined) {
    const { host, port } = listen;
    changes.push(...frontEnd.listen(`${host.includes(':') ? `[${host}]` : host}:${port}`, host, port));
  }
  if (keyFile !== undefined) {
    if (frontEnd.keyFile === undefined) {
      throw new OperationError(`${name} reads no key from a file. How it gets it: brume help ${name}`);
    }
    changes.push(...frontEnd.keyFile(keyFile));
  }
  if (whenUnjudged === 'open' && frontEnd.closed === undefined) {
    throw new OperationError(`${name} lets no request pass that it could not ask about.`);
  }
  if (whenUnjudged === 'closed') changes.push(...(frontEnd.closed ?? []));
  return changes;
}
