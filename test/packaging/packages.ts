import { join } from 'node:path';

/** What scripts/test-packages has made: this version, and the next one, of the same tree. */
const directory = given('TEST_PACKAGES');
export const version = given('TEST_PACKAGED_VERSION');
export const nextVersion = given('TEST_PACKAGED_NEXT_VERSION');

export function executablePath(architecture: 'amd64' | 'arm64'): string {
  return join(directory, `brume-${version}-linux-${architecture}`);
}

export function debPath(ofVersion = version, architecture = 'amd64'): string {
  return join(directory, `brume_${debianVersion(ofVersion)}_${architecture}.deb`);
}

export function rpmPath(ofVersion = version, architecture = 'x86_64'): string {
  return join(directory, `brume-${rpmVersion(ofVersion)}-1.${architecture}.rpm`);
}

/** As rpm shows it, without the release. */
function rpmVersion(ofVersion = version): string {
  return ofVersion.replace('-', '~');
}

/** As dpkg shows it. */
export function debianVersion(ofVersion = version): string {
  return `${ofVersion.replace('-', '~')}-1`;
}

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run scripts/test-packages`);
  return value;
}
