/** What is promised about what game servers receive: for each command, while they are paused, and for each player. */
import type { RecordedCommand } from './game-servers.ts';
import { stateFaults } from './grant-promises.ts';
import { broken, grantsOf, grouped, type LedgerContents, voterOf } from './ledger-contents.ts';
import type { PausedTime } from './operator.ts';
import { ACCOUNTS, GIFT } from './sites.ts';
import type { Accounts, SentVote } from './voters.ts';

/**
 * Rules 1, 5 and 6 for one game server: compares the commands it received with those in the ledger. Votes of one player
 * earn the same commands again, so commands are counted by their text. The server must not receive one more often than
 * the ledger counts attempts, and the ledger may say delivered or refused only if the server answered so completely.
 */
export function commandFaults(
  { grants }: LedgerContents,
  server: string,
  recorded: readonly RecordedCommand[],
): string[] {
  const commands = grants.filter((grant) => grant.server === server).flatMap((grant) => grant.commands);
  const counted = grouped(commands, ({ command }) => command.toLowerCase());
  const ran = recorded.filter(({ reply }) => reply !== 'not run');
  const received = grouped(ran, ({ command }) => command.toLowerCase());
  return [...new Set([...counted.keys(), ...received.keys()])].flatMap((text) => {
    const [own, replies] = [counted.get(text) ?? [], received.get(text) ?? []];
    const has = (wanted: string): number => own.filter(({ outcome }) => outcome === wanted).length;
    const got = (wanted: string): number => replies.filter(({ reply }) => reply === wanted).length;
    const [delivered, refused, unknown] = [has('delivered'), has('refused'), has('unknown')];
    const [times, confirmed, denied] = [replies.length, got('confirmed'), got('refused')];
    const tried = delivered + refused + unknown;
    return [
      ...broken(times > tried, `“${text}” reached ${server} ${times} times, and the ledger has ${tried}`),
      ...broken(
        delivered > confirmed,
        `“${text}” is delivered ${delivered} times in the ledger, and ran ${confirmed} times`,
      ),
      ...broken(
        refused > denied,
        `“${text}” is refused ${refused} times in the ledger, and was refused ${denied} times`,
      ),
    ];
  });
}

/** A running Teller notices a pause within a second. */
const NOTICED_MS = 1_500;

/** Nothing is sent to a game server that is paused; questions are. */
export const pauseFaults = (paused: readonly PausedTime[], recorded: readonly RecordedCommand[]): string[] =>
  paused.flatMap(({ from, until }) =>
    recorded
      .filter(({ at, command }) => command.startsWith('give ') && at > from + NOTICED_MS && at < until)
      .map(({ at, command }) => `“${command}” was sent ${at - from} ms after a pause had begun`),
  );

/** Every player is given as much as their votes earned, whatever their names were then and are now; strangers nothing. */
export function accountFaults(
  contents: LedgerContents,
  sent: readonly SentVote[],
  { casters, strangers, giftsOf }: Accounts,
): string[] {
  const gifts = grantsOf(contents, GIFT.name);
  const casts = new Map(
    sent
      .filter(({ site }) => site === ACCOUNTS)
      .map((vote) => [`${vote.voter.toLowerCase()} ${vote.votedAt}`, casters.get(vote.id)]),
  );
  /** Who cast the votes on the site, and whose history each of them is in. */
  const votes = contents.votes
    .filter(({ service }) => service === ACCOUNTS.name)
    .map((row) => ({
      ...{ id: row.id, recipient: row.recipient },
      caster: casts.get(`${voterOf(row)} ${row.claimedAt}`),
    }));
  const casterOf = new Map(votes.map(({ id, caster }) => [id, caster]));
  const owed = grouped(gifts, ({ voteId }) => casterOf.get(voteId ?? 0));
  const players = [...new Set(casters.values())];
  return [
    ...gifts.flatMap(stateFaults),
    ...(owed.get(undefined) ?? []).map(
      ({ id }) => `grant ${id} of ${GIFT.name} is for a vote that was never cast`,
    ),
    ...strangers
      .filter((stranger) => giftsOf(stranger) > 0)
      .map(({ name }) => `the stranger who took the name ${name} was given a gift`),
    ...players.flatMap((each) => {
      const states = (owed.get(each) ?? []).map(({ state }) => state);
      const delivered = states.filter((state) => state === 'delivered').length;
      const held = states.filter((state) => state === 'held').length;
      const [name, given] = [each.name, giftsOf(each)];
      return broken(
        given < delivered || given > delivered + held,
        `${name} was given ${given}, and is owed ${delivered} as delivered and ${held} as held`,
      );
    }),
    // At the end everyone was seen, so all votes of a player are one history, and no one else's.
    ...[...grouped(votes, ({ caster }) => caster?.name)].flatMap(([name, own]) => {
      const recipients = new Set(own.map(({ recipient }) => recipient));
      return broken(recipients.size > 1, `${name} has the histories ${[...recipients].join(', ')}`);
    }),
    ...[...grouped(votes, ({ recipient }) => recipient)].flatMap(([recipient, own]) => {
      const { size } = new Set(own.map(({ caster }) => caster));
      return broken(size > 1, `the history of ${recipient} is that of ${size} players`);
    }),
  ];
}
