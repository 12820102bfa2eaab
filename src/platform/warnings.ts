import type { Log } from '../core/log.ts';

/** Logs node's warnings, which node would otherwise print between the log lines. */
export function logWarnings(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }) => {
    log.warn({ code: 'process-warning', name, stack }, `node warns: ${name}: ${message}`);
  });
}
