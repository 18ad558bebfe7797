import { basename, dirname } from 'node:path';
import { runTool } from './run-tool.ts';

/**
 * Throws an Error, which names the file, at the first package that is damaged, or that is another one than its
 * name says. So no two files are the same package, version and architecture: of those, clients would take either.
 */
export async function expectSound(debs: readonly string[], rpms: readonly string[]): Promise<void> {
  for (const deb of debs) {
    // To its end: neither its control data nor apt-ftparchive tells of a half of a file.
    await expectWhole(deb, 'dpkg-deb', '--fsys-tarfile');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-deb fills it in.
    await expectName(deb, 'dpkg-deb', '--show', '--showformat=${Package}_${Version}_${Architecture}.deb');
  }
  for (const rpm of rpms) {
    await expectWhole(rpm, 'rpmkeys', '--checksig', '--nosignature');
    const name = '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm';
    await expectName(rpm, 'rpm', '-qp', '--nosignature', '--queryformat', name);
  }
}

async function expectWhole(path: string, program: string, ...args: string[]): Promise<void> {
  await onFile(path, program, args, true);
}

async function expectName(path: string, program: string, ...args: string[]): Promise<void> {
  const name = (await onFile(path, program, args)).trim();
  if (name !== basename(path))
    throw new Error(
      `${basename(path)} contradicts what stands in it: it is ${name}. Remove it, or name it so if there is none`,
    );
}

async function onFile(path: string, program: string, args: string[], isMute = false): Promise<string> {
  try {
    return await runTool(program, [...args, basename(path)], { cwd: dirname(path), isMute });
  } catch (error) {
    throw new Error(
      `${basename(path)} is damaged: ${error instanceof Error ? error.message : String(error)}. Make it again`,
    );
  }
}
