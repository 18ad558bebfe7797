/** Has a node open its inspector on a port of the system's choice, which is told in its log. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const LISTENING = /^Debugger listening on (ws:\S+)$/m;

/**
 * What a node holds, in bytes: its heap and what hangs on it, once all garbage is collected. What is resident says
 * little of that, for V8 collects when it likes.
 *
 * @throws if the node doesn't answer.
 */
export async function heldMemory(log: string): Promise<number> {
  const [, url] = LISTENING.exec(log) ?? [];
  if (url === undefined)
    throw new Error('the node has told of no inspector: it is not run by Node.js itself');
  const inspector = new WebSocket(url);
  try {
    await new Promise((resolve, reject) => {
      inspector.onopen = resolve;
      inspector.onerror = () => reject(new Error(`${url}: no inspector`));
    });
    await ask(inspector, 'HeapProfiler.collectGarbage');
    const { result } = await ask(inspector, 'Runtime.evaluate', {
      expression: 'process.memoryUsage()',
      returnByValue: true,
    });
    return result.value.heapUsed + result.value.external;
  } finally {
    inspector.close();
  }
}

interface Evaluated {
  readonly result: { readonly value: NodeJS.MemoryUsage };
}

/** One at a time. */
function ask(inspector: WebSocket, method: string, params: object = {}): Promise<Evaluated> {
  return new Promise((resolve, reject) => {
    inspector.onmessage = ({ data }) => {
      const { error, result } = JSON.parse(String(data));
      if (error === undefined) resolve(result);
      else reject(new Error(`${method}: ${error.message}`));
    };
    inspector.onclose = () => reject(new Error('the node has closed its inspector'));
    inspector.send(JSON.stringify({ id: 1, method, params }));
  });
}
