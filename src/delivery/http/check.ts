import { type Finding, ok, problem } from '../../core/finding.ts';
import type { CheckParts } from '../game-server-kind.ts';
import { reach } from './reach.ts';
import type { HttpConfig } from './schema.ts';

/** Only connects and posts nothing, because a posted command would pay a player. */
export async function checkHttp(
  { url, commandTimeoutMs }: HttpConfig,
  { name, clock, sentenceOf }: CheckParts,
): Promise<Finding> {
  const target = { url: new URL(url), commandTimeoutMs, clock };
  const where = `${name} (${target.url.host})`;
  const reached = await reach(target, new AbortController().signal);
  if (reached.kind === 'failed') return problem(reached.reason, `${where}: ${sentenceOf(reached.reason)}`);
  reached.socket.destroy();
  return ok(
    'game-server',
    `${where} accepts connections; only the first command will show whether it accepts commands`,
  );
}
