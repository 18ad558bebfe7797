import { clientConfig, PostgresClient } from './postgres-client.ts';

export interface ListeningOptions {
  readonly databaseUrl: string;
  /** For connecting and for every statement. */
  readonly timeoutMs: number;
  /** What is heard on any channel. */
  readonly onNotice: (channel: string, text: string | undefined) => void;
}

/** One connection to PostgreSQL that hears notifications, until it ends. */
export class ListeningConnection {
  /** Resolves when it has ended, with the reason if there is one. Never rejects. */
  readonly ended: Promise<Error | undefined>;
  readonly #client: PostgresClient;

  constructor({ databaseUrl, timeoutMs, onNotice }: ListeningOptions) {
    const client = new PostgresClient({
      ...clientConfig(databaseUrl, timeoutMs),
      query_timeout: timeoutMs,
      application_name: 'brume-listener',
    });
    let reason: Error | undefined;
    client.on('error', (error) => {
      reason ??= error;
    });
    client.on('notification', ({ channel, payload }) => onNotice(channel, payload));
    this.ended = new Promise((resolve) => client.once('end', () => resolve(reason)));
    this.#client = client;
  }

  /** Rejects with the driver's fault, also if it is closed meanwhile. */
  async connect(): Promise<void> {
    await this.#client.connect();
  }

  /** `channel` is an identifier of lower-case letters, digits and underscores. */
  async listen(channel: string): Promise<void> {
    await this.#client.query(`listen ${channel}`);
  }

  /** Rejects if the server does not answer within the time-out. */
  async ask(): Promise<void> {
    await this.#client.query('select 1');
  }

  close(): void {
    this.#client.destroy();
  }
}
