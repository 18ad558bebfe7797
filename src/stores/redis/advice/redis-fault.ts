/** Why a Redis, or a Sentinel, can't be used, and what to do about it. */
export class RedisFault extends Error {
  override readonly name: string = 'RedisFault';
  /** What was said or met, without a full stop. */
  readonly said: string;
  /** What the operator does next, a sentence without its full stop; undefined: nothing is known to help. */
  readonly remedy: string | undefined;

  constructor(said: string, remedy?: string) {
    super(remedy === undefined ? said : `${said}: ${remedy}`);
    this.said = said;
    this.remedy = remedy;
  }

  /** The same, of the server or the Sentinel at that place. */
  at(place: string): RedisFault {
    return this.said.includes(place) ? this : new RedisFault(`${place}: ${this.said}`, this.remedy);
  }
}
