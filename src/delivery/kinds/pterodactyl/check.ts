import { isLoopback } from '../../../core/address.ts';
import { type Finding, ok, problem, warning } from '../../../core/finding.ts';
import type { CheckParts } from '../../game-server-kind.ts';
import { presenceFinding } from '../../presence-finding.ts';
import { pterodactylGameServer } from './game-server.ts';
import { Panel } from './panel.ts';
import type { PterodactylConfig } from './schema.ts';

/** Whether the panel opens the server with this key, and whether its console shows who is online. */
export const checkPterodactyl = async (
  config: PterodactylConfig,
  parts: CheckParts,
): Promise<readonly Finding[]> => [await tried(config, parts), ...plain(parts.name, new URL(config.url))];

const plain = (name: string, { protocol, hostname }: URL): readonly Finding[] =>
  protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))
    ? []
    : [
        warning(
          'panel-plain',
          `the panel of ${name} is called without TLS, so anyone on the network path can read the API key and run commands`,
          'set url to its https address',
        ),
      ];

async function tried(config: PterodactylConfig, parts: CheckParts): Promise<Finding> {
  const { name, clock, sentenceOf } = parts;
  if (config.apiKey.missing !== null)
    return warning('password-unknown', `${name} was not tried: ${config.apiKey.missing}`);
  const where = `${name} (${new URL(config.url).host})`;
  const answer = await new Panel({ ...config, clock }).look(new AbortController().signal);
  if (answer.kind === 'refused')
    return problem('http-bad-reply', `${where}: ${sentenceOf('http-bad-reply')}`);
  if (answer.kind !== 'ok') return problem(answer.reason, `${where}: ${sentenceOf(answer.reason)}`);
  if (!config.console)
    return ok(
      'game-server',
      `${where} opens this server; only the first command will show whether the account may send commands`,
    );
  const server = await pterodactylGameServer({ ...config, ...parts });
  try {
    return presenceFinding({ ...parts, where }, await server.presence([]));
  } finally {
    await server.close();
  }
}
