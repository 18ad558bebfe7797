import { runTool } from './run-tool.ts';

/** A key in GnuPG's keyring, which GNUPGHOME may name. */
export class SigningKey {
  readonly fingerprint: string;

  private constructor(fingerprint: string) {
    this.fingerprint = fingerprint;
  }

  /**
   * Throws an Error that says what would be right where the fingerprint isn't whole, since a shorter one
   * could be another's, and where the key isn't there or can't sign.
   */
  static async find(fingerprint: string): Promise<SigningKey> {
    if (!/^[0-9A-F]{40}$/i.test(fingerprint)) throw new Error('a fingerprint has 40 hexadecimal digits');
    const listing = await gpg('--list-secret-keys', '--with-colons', fingerprint).catch(() => '');
    const [, ofPrimary] = /^sec:(.*)$/m.exec(listing) ?? [];
    if (ofPrimary === undefined) {
      throw new Error(
        'GnuPG has no secret key of it: gpg --list-secret-keys shows those that are there, GNUPGHOME names another keyring',
      );
    }
    expectSigns(ofPrimary.split(':'));
    return new SigningKey(fingerprint.toUpperCase());
  }

  async writePublicKey(path: string): Promise<void> {
    await gpg('--armor', '--output', path, '--export', this.fingerprint);
  }

  /** Writes the text with its signature around it. */
  async signAround(path: string, signed: string): Promise<void> {
    await this.#sign('--output', signed, '--clearsign', path);
  }

  /** Writes a signature in a file of its own. */
  async signBeside(path: string, signature: string): Promise<void> {
    await this.#sign('--armor', '--output', signature, '--detach-sign', path);
  }

  /** Signs RPM packages in place. They are named below the folder `cwd`. */
  async signRpms(paths: readonly string[], cwd: string): Promise<void> {
    // Debian's rpm looks for a gpg2, and without one leaves them unsigned without a word.
    const macros = ['__gpg /usr/bin/gpg', `_gpg_name ${this.fingerprint}`, '_gpg_digest_algo sha256'];
    const defines = macros.flatMap((macro) => ['--define', macro]);
    await runTool('rpmsign', [...defines, '--resign', ...paths], { cwd, asks: true });
  }

  async #sign(...args: string[]): Promise<void> {
    await gpg('--local-user', this.fingerprint, '--digest-algo', 'SHA256', ...args);
  }
}

/** By GnuPG's doc/DETAILS: the second field says whether it holds, the seventh its end, the twelfth what it may. */
function expectSigns(fields: readonly string[]): void {
  const [validity, endsAt = '', capabilities = ''] = [fields[0], fields[5], fields[10]];
  if (validity === 'e') {
    const day = new Date(Number(endsAt) * 1000).toISOString().slice(0, 10);
    throw new Error(`the key expired on ${day}: gpg --quick-set-expire prolongs it`);
  }
  if (validity === 'r') throw new Error('the key was revoked: another one is needed');
  if (!capabilities.includes('S')) throw new Error('the key is not for signing: another one is needed');
}

/** Where the key has a passphrase, it is asked for on the terminal. */
function gpg(...args: string[]): Promise<string> {
  return runTool('gpg', ['--batch', '--quiet', ...args], { asks: true });
}
