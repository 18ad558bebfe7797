/** One line of the checks, see packaging/vm/smoke. */
interface Check {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** Of one that failed. */
  readonly output?: string;
}

const CHECK = /check\t(ok|FAILED)\t(\d+)\t(.*)$/;

/** What the checks have said: printed as it comes, and kept. */
export class Report {
  readonly #form: string;
  readonly #startedAt = new Date();
  readonly #checks: Check[] = [];

  constructor(form: string) {
    this.#form = form;
  }

  /** A line of a system's output. */
  line(text: string): void {
    const line = text.replaceAll('\r', '');
    const [, result, seconds, name = ''] = CHECK.exec(line) ?? [];
    const last = this.#checks.at(-1);
    if (result !== undefined) {
      this.#add({ name, passed: result === 'ok', seconds: Number(seconds) });
    } else if (last !== undefined && !last.passed && line.startsWith('    ')) {
      this.#checks[this.#checks.length - 1] = { ...last, output: `${last.output ?? ''}${line.slice(4)}\n` };
      console.log(line);
    }
  }

  /** The trial itself could not go on. */
  broke(why: string): void {
    this.#add({ name: 'the trial runs to its end', passed: false, seconds: this.#seconds() });
    this.line(`    ${why.replaceAll('\n', '\n    ')}`);
  }

  end(): { readonly passed: number; readonly failed: number } {
    if (this.#checks.length === 0) this.broke('no check was run');
    const passed = this.#checks.filter((check) => check.passed).length;
    return { passed, failed: this.#checks.length - passed };
  }

  json(): string {
    const about = {
      form: this.#form,
      startedAt: this.#startedAt.toISOString(),
      seconds: this.#seconds(),
    };
    return JSON.stringify({ ...about, checks: this.#checks }, undefined, 2);
  }

  #add(check: Check): void {
    this.#checks.push(check);
    console.log(`${check.passed ? 'ok      ' : 'FAILED  '}${check.name} (${check.seconds} s)`);
  }

  #seconds(): number {
    return Math.round((Date.now() - this.#startedAt.getTime()) / 1000);
  }
}
