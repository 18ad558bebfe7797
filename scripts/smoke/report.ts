/** One line of the checks, see packaging/vm/smoke. */
interface Check {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** Of one that failed. */
  readonly output?: string;
}

/** Neither stands at the beginning of its line where the kernel has begun that. */
const BEGUN = /begun\t(.*)$/;
const CHECK = /check\t(ok|FAILED)\t(\d+)\t(.*)$/;
/** Before each line of a failed check's output, whatever that says. */
const OUTPUT = '    ';

/** What the checks have said: printed as it comes, and kept. */
export class Report {
  readonly #form: string;
  readonly #print: (line: string) => void;
  readonly #startedAt = new Date();
  readonly #checks: Check[] = [];
  /** The check that goes on. */
  #begun: string | undefined;

  constructor(form: string, print: (line: string) => void = console.log) {
    this.#form = form;
    this.#print = print;
  }

  /** A line of a system's output. */
  line(text: string): void {
    const line = text.replaceAll('\r', '');
    if (line.startsWith(OUTPUT)) {
      this.#output(line.slice(OUTPUT.length));
      return;
    }
    this.#begun = BEGUN.exec(line)?.[1] ?? this.#begun;
    const [, result, seconds, name = ''] = CHECK.exec(line) ?? [];
    if (result === undefined) return;
    this.#begun = undefined;
    this.#add({ name, passed: result === 'ok', seconds: Number(seconds) });
  }

  /** The trial itself could not go on, or went on for too long. */
  broke(why: string): void {
    const during = this.#begun === undefined ? '' : `during: ${this.#begun}\n`;
    this.#add({ name: 'the trial runs to its end', passed: false, seconds: this.#seconds() });
    for (const line of `${during}${why}`.split('\n')) this.#output(line);
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

  /** Of the check before it, which has failed. */
  #output(line: string): void {
    const last = this.#checks.at(-1);
    if (last === undefined || last.passed) return;
    this.#checks[this.#checks.length - 1] = { ...last, output: `${last.output ?? ''}${line}\n` };
    this.#print(`${OUTPUT}${line}`);
  }

  #add(check: Check): void {
    this.#checks.push(check);
    this.#print(`${check.passed ? 'ok      ' : 'FAILED  '}${check.name} (${check.seconds} s)`);
  }

  #seconds(): number {
    return Math.round((Date.now() - this.#startedAt.getTime()) / 1000);
  }
}
