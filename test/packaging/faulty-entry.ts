import '../../src/sealed-environment.ts';
import { endOnUncaughtFault } from '../../src/appliance/crash.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { standardOutput } from '../../src/telemetry/log-output.ts';

// Begins as `brume serve` does, and has a fault while it waits for what comes.
const log = createLogger({ level: 'info', stream: standardOutput() });
endOnUncaughtFault(log);
log.info('starting');
setInterval(() => undefined, 1000);
setTimeout(() => {
  throw new Error('nobody catches this');
}, 1);
