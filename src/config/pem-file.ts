import { readBoundedFile } from './bounded-file.ts';
import type { ConfigFault } from './config-error.ts';

/** More than any chain of certificates has. */
const PEM_BYTES_MAX = 1024 * 1024;

export interface PemSought {
  /** The setting that names the file. */
  readonly variable: string;
  readonly path: string;
  readonly label: 'CERTIFICATE' | 'PRIVATE KEY';
  /** Where a fault is added to. */
  readonly faults: ConfigFault[];
}

/** The text of a PEM file that the configuration names. Undefined, with a fault more, if there is none to be had. */
export function readPem({ variable, path, label, faults }: PemSought): string | undefined {
  const what = label.toLowerCase();
  const refuse = (problem: string, remedy: string) => {
    faults.push({ variable, where: path, problem, remedy });
    return undefined;
  };
  let text: string;
  try {
    text = readBoundedFile(path, PEM_BYTES_MAX).toString('utf8');
  } catch (error) {
    return refuse(
      `the file can't be read (${reasonOf(error)})`,
      'It must exist, and the user who runs Brume must be able to read it',
    );
  }
  if (text.includes(`${label}-----`)) return text;
  return refuse(
    `the file holds no ${what} in PEM`,
    `Give the ${what} as PEM, which has a line BEGIN ${label}`,
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
