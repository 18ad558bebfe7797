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

  private constructor(client: PostgresClient) {
    this.#client = client;
    let reason: Error | undefined;
    client.on('error', (error) => {
      reason ??= error;
    });
    this.ended = new Promise((resolve) => client.once('end', () => resolve(reason)));
  }

  /** Rejects with the driver's fault. */
  static async open({ databaseUrl, timeoutMs, onNotice }: ListeningOptions): Promise<ListeningConnection> {
    const client = new PostgresClient({
      ...clientConfig(databaseUrl, timeoutMs),
      query_timeout: timeoutMs,
      application_name: 'brume-listener',
    });
    const connection = new ListeningConnection(client);
    client.on('notification', ({ channel, payload }) => onNotice(channel, payload));
    try {
      await client.connect();
      return connection;
    } catch (error) {
      client.destroy();
      throw error;
    }
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
