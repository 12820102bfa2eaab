import { type Finding, ok, problem } from '../../core/finding.ts';
import type { CheckParts } from '../game-server-kind.ts';
import { reach } from './reach.ts';
import type { HttpConfig } from './schema.ts';

/** A command that was posted to find out would pay a player, so it is reached, and nothing is written. */
export async function checkHttp(
  { url, commandTimeoutMs }: HttpConfig,
  { name, clock, sentenceOf }: CheckParts,
): Promise<Finding> {
  const target = { url: new URL(url), commandTimeoutMs, clock };
  const where = `${name} (${target.url.host})`;
  const reached = await reach(target, new AbortController().signal);
  if (reached.kind === 'failed') return problem(reached.reason, `${where}: ${sentenceOf(reached.reason)}`);
  reached.socket.destroy();
  return ok('game-server', `${where} takes connections; whether it takes commands, the first one shows`);
}
