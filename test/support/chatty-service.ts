/** A service that logs as many lines as its argument says, prints its ready line, and exits with 1 when it is stopped. */
import { service } from '../../src/commands/command.ts';
import { createLog } from '../../src/platform/log.ts';
import { stopSignal } from '../../src/platform/signals.ts';
import { systemTerminal } from '../../src/platform/terminal.ts';

const lines = Number(process.argv[2]);

await service(systemTerminal, async (terminal) => {
  const log = createLog('info', terminal, 'json');
  for (let line = 0; line < lines; line++) {
    log.info({ code: 'chatty', line }, 'x'.repeat(200));
    if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const stopped = stopSignal();
  terminal.out(JSON.stringify({ msg: 'ready' }));
  // Other services have a socket that keeps the process running.
  const running = setInterval(() => {}, 60_000);
  await stopped;
  clearInterval(running);
  log.info({ code: 'last' }, 'stopped');
  return 1;
})();
