import type { Console, StartParts } from '../console/console.ts';
import { Problem } from '../core/problem.ts';

/**
 * Starts the console beside a running Teller. Votes matter more than pages: if its port cannot be opened, that is logged and
 * Teller runs without it. Its code is loaded here, so that it does not delay the listener.
 */
export async function serveConsole(parts: StartParts): Promise<Console | null> {
  const { startConsole } = await import('../console/console.ts');
  try {
    const served = await startConsole(parts);
    parts.log.info({ code: 'console', url: served.url }, `the console is at ${served.url}`);
    return served;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    parts.log.error({ code: error.code }, `there is no console: ${error.message}`);
    return null;
  }
}
