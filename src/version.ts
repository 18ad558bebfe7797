import { assetText } from './assets.ts';

/** Brume's version (SemVer). package.json is its only source. */
export const version: string = readVersion(JSON.parse(assetText('package.json')));

function readVersion(manifest: unknown): string {
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    if (typeof manifest.version === 'string') return manifest.version;
  }
  throw new Error('package.json has no version');
}
