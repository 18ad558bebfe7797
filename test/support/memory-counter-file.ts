import type { CounterBatch, CounterFile, CounterFileWriter } from '../../src/stores/sql/counter-file.ts';

/** A file of counters in memory, which writes all or nothing and can be made to fail. */
export class MemoryCounterFile implements Pick<CounterFile, 'before' | 'write' | 'close'> {
  batches: CounterBatch[] = [];
  isFailing = false;
  isClosed = false;
  writeCount = 0;

  async before(id: number, limit: number): Promise<readonly CounterBatch[]> {
    return this.batches
      .filter((batch) => batch.id < id)
      .sort((a, b) => b.id - a.id)
      .slice(0, limit);
  }

  async write(work: (writer: CounterFileWriter) => Promise<void>): Promise<void> {
    let batches = [...this.batches];
    await work({
      append: async (batch) => {
        batches.push(batch);
      },
      dropBefore: async (id, limit) => {
        const dropped = batches.filter((batch) => batch.id < id).slice(0, limit);
        batches = batches.filter((batch) => !dropped.includes(batch));
        return dropped.length;
      },
    });
    this.writeCount++;
    if (this.isFailing) throw new Error('no space left on device');
    this.batches = batches;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  get entryCount(): number {
    return this.batches.reduce((sum, { entryCount }) => sum + entryCount, 0);
  }
}
