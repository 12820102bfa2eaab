import { placeText } from '../../../core/address.ts';
import { type Finding, ok, problem } from '../../../core/finding.ts';
import { type Link, openLink } from '../../../sender/send.ts';
import type { CheckParts } from '../../game-server-kind.ts';
import { authOf } from './auth.ts';
import type { VotifierNotSentReason } from './codes.ts';
import { forwardedBy } from './outcome.ts';
import type { VotifierConfig } from './schema.ts';

/** Only connects and reads the greeting: a vote that is sent counts. */
export async function checkVotifier(
  server: VotifierConfig,
  { name, clock, sentenceOf }: CheckParts,
): Promise<Finding> {
  const where = `${name} (${placeText(server.host, server.port)})`;
  const failed = (reason: VotifierNotSentReason): Finding =>
    problem(reason, `${where}: ${sentenceOf(reason)}`);
  // Without its secret it has a finding already, and a key that is not there needs no connection.
  if (server.protocol === 'v1' && (await authOf(server)) === null) return failed('votifier.key-unusable');
  const { commandTimeoutMs: limitMs } = server;
  const limits = { connectMs: limitMs, v1GreetingMs: limitMs, wholeMs: limitMs };
  const opened = await openLink(server, { clock, limits });
  if (opened.kind === 'failed') {
    const forwarded = forwardedBy(opened.result);
    return failed(forwarded.kind === 'not-sent' ? forwarded.reason : 'votifier.unreachable');
  }
  const { link } = opened;
  link.close();
  if (server.protocol === 'v2' && link.greeting.kind !== 'v2') return failed('votifier.other-version');
  return ok('game-server', `${where} ${greetingText(link)}; ${MEANINGS[server.protocol]}`);
}

const greetingText = ({ greeting }: Link): string =>
  greeting.kind === 'v2'
    ? 'greets as a listener of version 2, and most of these take version 1 too'
    : `greets as a listener of version 1 alone (it says ${greeting.version})`;

const MEANINGS = {
  v2: 'version 2 confirms each vote, and a forward whose answer never arrives is listed by `teller grants --state held` and not repeated',
  v1: 'version 1 confirms nothing: a forward counts as done when it is written and the connection is closed, whatever became of it there',
} as const;
