import { spawn } from 'node:child_process';
import type { Log } from '../core/log.ts';

/**
 * Tells systemd that this process is ready, where systemd wants to know (NOTIFY_SOCKET). The socket is a datagram socket,
 * which Node does not have, so systemd's own program writes to it. If that fails, Teller runs on.
 */
export function tellReady(log: Log, variables: NodeJS.ProcessEnv = process.env): void {
  if (!variables.NOTIFY_SOCKET) return;
  const child = spawn('systemd-notify', ['--ready', `--pid=${process.pid}`], {
    ...{ stdio: 'ignore', env: variables },
  });
  child.unref();
  const failed = (facts: object): void =>
    log.warn(
      { code: 'notify-failed', ...facts },
      'systemd was not told that Teller is ready; Teller runs on',
    );
  child.once('error', ({ message }) => failed({ error: message }));
  child.once('exit', (exit, signal) => {
    if (exit !== 0) failed({ exit, signal });
  });
}
