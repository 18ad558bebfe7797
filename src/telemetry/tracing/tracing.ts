/** What a span says besides its name and times. Never an identifier, a key, a path or a query. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** What a request brings that concerns traces. */
export interface IncomingRequest {
  readonly method: string;
  /** W3C Trace Context, as the headers have it. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  /** Whether the peer may speak for others: only then its trace is continued. */
  readonly isTrusted: boolean;
}

export interface RequestOutcome {
  readonly name: string;
  readonly attributes: SpanAttributes;
  /** A fault of ours. */
  readonly isFault: boolean;
}

/** The trace that a request belongs to. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Runs `work`; spans that are begun in it, or in what follows from it, belong below the request. */
  run(work: () => void): void;
  end(outcome: RequestOutcome): void;
}

/** Runs a piece of work in a span of its own, below the request at hand. */
export interface SpanMaker {
  /** If that request is not recorded, or over, this is `work()` and nothing more. */
  within<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
}

/** Traces of this process. There is none of this where no endpoint is set. */
export interface Tracing extends SpanMaker {
  /** Undefined: the request belongs to no trace that we record or know of. */
  startRequest(request: IncomingRequest): RequestTrace | undefined;
  /** Sends what has been recorded, for at most `timeoutMs`, and records nothing more. Never rejects. */
  close(timeoutMs: number): Promise<void>;
}
