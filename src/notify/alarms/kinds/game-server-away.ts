import type { PauseCode } from '../../../core/game-server-codes.ts';
import { sentenceOf } from '../../../delivery/outcomes.ts';
import type { QueueState } from '../../../ledger/ledger.ts';
import type { Seen } from '../alarm.ts';
import type { AlarmKind, WatchedServer } from '../kind.ts';

type Facts = { readonly reason: PauseCode; readonly takesVotes: boolean };

/** Nothing is known of a game server before there was something to do there. */
const judgeGameServers = (
  servers: readonly WatchedServer[],
  queues: ReadonlyMap<string, QueueState>,
): readonly Seen<Facts>[] =>
  servers.map(({ name: subject, takesVotes }) => {
    const queue = queues.get(subject);
    if (queue === undefined) return { subject, state: 'unknown' };
    const { reason, since } = queue;
    return reason === null
      ? { subject, state: 'over', facts: {} }
      : { subject, state: 'holds', since, facts: { reason, takesVotes } };
  });

export const gameServerAway: AlarmKind<Facts> = {
  code: 'game-server-away',
  means:
    'For 10 minutes, a game server has accepted no commands (or, if votes are forwarded to it, no votes).',
  lastsMs: 10 * 60_000,
  watch:
    ({ ledger }) =>
    async ({ watched }) =>
      judgeGameServers(watched.gameServers, await ledger.queues()),
  began: ({ subject, since, facts }, say) =>
    facts.takesVotes
      ? `The target ${subject} has accepted no votes since ${say(since)}: ${sentenceOf(facts.reason)}.`
      : `The game server ${subject} has accepted no commands since ${say(since)}, so its rewards wait: ${sentenceOf(facts.reason)}.`,
  toDo: () => 'Nothing is lost: what waits is sent when it is back.',
  // It may not have been reached: with nothing left to send, its queue is no longer in trouble either.
  ended: ({ subject, since, facts }, say) =>
    facts.takesVotes
      ? `The target ${subject} is no longer away. It had accepted no votes since ${say(since)}.`
      : `The game server ${subject} is no longer away. It had accepted no commands since ${say(since)}.`,
};
