import type { Log } from '../core/log.ts';

/** Puts node's warnings into the log; node itself would print them between its lines. */
export function logWarnings(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }) => {
    log.warn({ code: 'process-warning', name, stack }, `node warns: ${name}: ${message}`);
  });
}
