import { execFileSync } from 'node:child_process';

/** A key in GnuPG's keyring, which GNUPGHOME may name. */
export class SigningKey {
  readonly fingerprint: string;

  /** Throws where the fingerprint isn't whole, a shorter one could be another's, or the secret key isn't there. */
  constructor(fingerprint: string) {
    if (!/^[0-9A-F]{40}$/i.test(fingerprint)) throw new Error('a fingerprint has 40 hexadecimal digits');
    this.fingerprint = fingerprint.toUpperCase();
    gpg('--list-secret-keys', this.fingerprint);
  }

  writePublicKey(path: string): void {
    gpg('--armor', '--output', path, '--export', this.fingerprint);
  }

  /** Writes the text with its signature around it. */
  signAround(path: string, signed: string): void {
    gpg('--local-user', this.fingerprint, '--digest-algo', 'SHA256', '--output', signed, '--clearsign', path);
  }

  /** Writes a signature in a file of its own. */
  signBeside(path: string, signature: string): void {
    gpg(
      ...['--local-user', this.fingerprint, '--digest-algo', 'SHA256', '--armor'],
      ...['--output', signature, '--detach-sign', path],
    );
  }

  /** Signs RPM packages in place. */
  signRpms(paths: readonly string[]): void {
    // Debian's rpm looks for a gpg2, and without one leaves them unsigned without a word.
    const macros = ['__gpg /usr/bin/gpg', `_gpg_name ${this.fingerprint}`, '_gpg_digest_algo sha256'];
    const defines = macros.flatMap((macro) => ['--define', macro]);
    execFileSync('rpmsign', [...defines, '--resign', ...paths], { stdio: ['inherit', 'ignore', 'inherit'] });
  }
}

/** Where the key has a passphrase, it is asked for on the terminal. */
function gpg(...args: string[]): void {
  execFileSync('gpg', ['--batch', '--quiet', ...args], { stdio: ['inherit', 'ignore', 'inherit'] });
}
