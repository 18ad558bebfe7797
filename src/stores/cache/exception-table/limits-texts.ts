/** A guess at what a text takes beside its characters: two entries of tables. */
const OVERHEAD_BYTES = 120;

/** The texts of overrides' limits, each kept once however many overrides have it. */
export class LimitsTexts {
  readonly #ids = new Map<string, number>();
  /** By id; 0 stands for none. */
  readonly #texts: (string | undefined)[] = [undefined];
  readonly #uses: number[] = [0];
  readonly #free: number[] = [];
  #characters = 0;

  get bytes(): number {
    return this.#characters + this.#ids.size * OVERHEAD_BYTES;
  }

  get count(): number {
    return this.#ids.size;
  }

  /** The id of a text that is used once more; 0 for null. */
  take(text: string | null): number {
    if (text === null) return 0;
    const known = this.#ids.get(text);
    const id = known ?? this.#free.pop() ?? this.#texts.length;
    if (known === undefined) {
      this.#ids.set(text, id);
      this.#texts[id] = text;
      this.#uses[id] = 0;
      this.#characters += text.length;
    }
    this.#uses[id] = (this.#uses[id] ?? 0) + 1;
    return id;
  }

  /** The text is used once less. */
  release(id: number): void {
    const text = this.#texts[id];
    if (text === undefined) return;
    const uses = (this.#uses[id] ?? 0) - 1;
    this.#uses[id] = uses;
    if (uses > 0) return;
    this.#ids.delete(text);
    this.#texts[id] = undefined;
    this.#free.push(id);
    this.#characters -= text.length;
  }

  text(id: number): string | null {
    return this.#texts[id] ?? null;
  }
}
