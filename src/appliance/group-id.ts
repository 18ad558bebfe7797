import { readFileSync } from 'node:fs';

/** The numeric id of a group in /etc/group; undefined if there is none of that name. */
export function groupId(name: string, file = '/etc/group'): number | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined; // a container without the file: the socket keeps the process's own group
  }
  for (const line of text.split('\n')) {
    const [entry, , id] = line.split(':');
    if (entry === name && id !== undefined && /^\d+$/.test(id)) return Number(id);
  }
  return undefined;
}
