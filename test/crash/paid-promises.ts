/** What is promised about what game servers receive: for each command, while they are paused, and for each player. */
import type { ReceivedCommands, RecordedCommand } from './game-servers.ts';
import { stateFaults } from './grant-promises.ts';
import { type GrantRow, grantsOf, grouped, type LedgerContents, voterOf } from './ledger-contents.ts';
import type { PausedTime } from './operator.ts';
import type { Account, Accounts } from './players.ts';
import { ACCOUNTS, GIFT } from './sites.ts';
import type { SentVote } from './voters.ts';

/**
 * Rules 1, 5 and 6 for one game server: compares the commands it received with those in the ledger. Votes of one player
 * earn the same commands again, so commands are counted by their text. The server must not receive one more often than
 * the ledger counts attempts, and the ledger may say delivered or refused only if the server answered so completely.
 */
export function commandFaults(
  { grants }: LedgerContents,
  server: string,
  received: ReceivedCommands,
): string[] {
  const commands = grants.filter((grant) => grant.server === server).flatMap((grant) => grant.commands);
  const counted = grouped(commands, ({ command }) => command.toLowerCase());
  return [...new Set([...counted.keys(), ...received.texts()])].flatMap((text) => {
    const own = counted.get(text) ?? [];
    const [delivered, refused, unknown] = ['delivered', 'refused', 'unknown'].map(
      (wanted) => own.filter(({ outcome }) => outcome === wanted).length,
    ) as [number, number, number];
    const { times, confirmed, refused: denied } = received.of(text);
    const tried = delivered + refused + unknown;
    return [
      ...(times > tried ? [`“${text}” reached ${server} ${times} times, and the ledger has ${tried}`] : []),
      ...(delivered > confirmed
        ? [`“${text}” is delivered ${delivered} times in the ledger, and ran ${confirmed} times`]
        : []),
      ...(refused > denied
        ? [`“${text}” is refused ${refused} times in the ledger, and was refused ${denied} times`]
        : []),
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
  accounts: Pick<Accounts, 'casters' | 'strangers' | 'giftsOf'>,
): string[] {
  const { casters, strangers } = accounts;
  const gifts = grantsOf(contents, GIFT.name);
  const casts = new Map(
    sent
      .filter(({ site }) => site === ACCOUNTS)
      .map((vote) => [`${vote.voter.toLowerCase()} ${vote.votedAt}`, casters.get(vote.id)]),
  );
  /** Who cast the votes on the site, and whose history each of them is in. */
  const votes = new Map(
    contents.votes
      .filter(({ service }) => service === ACCOUNTS.name)
      .map((row) => [
        row.id,
        { caster: casts.get(`${voterOf(row)} ${row.claimedAt}`), recipient: row.recipient },
      ]),
  );
  const owed = grouped(gifts, ({ voteId }) => votes.get(voteId ?? 0)?.caster);
  return [
    ...gifts.flatMap(stateFaults),
    ...(owed.get(undefined) ?? []).map(
      ({ id }) => `grant ${id} of ${GIFT.name} is for a vote that was never cast`,
    ),
    ...strangers
      .filter((stranger) => accounts.giftsOf(stranger) > 0)
      .map(({ name }) => `the stranger who took the name ${name} was given a gift`),
    ...[...new Set(casters.values())].flatMap((each) =>
      giftFaults(each.name, accounts.giftsOf(each), owed.get(each) ?? []),
    ),
    ...historyFaults([...votes.values()]),
  ];
}

function giftFaults(name: string, gifts: number, owed: readonly GrantRow[]): string[] {
  const delivered = owed.filter(({ state }) => state === 'delivered').length;
  const held = owed.filter(({ state }) => state === 'held').length;
  if (gifts >= delivered && gifts <= delivered + held) return [];
  return [`${name} was given ${gifts}, and is owed ${delivered} as delivered and ${held} as held`];
}

/** At the end everyone was seen, so all votes of a player are one history, and no one else's. */
const historyFaults = (
  votes: readonly { readonly caster: Account | undefined; readonly recipient: string }[],
) => [
  ...[...grouped(votes, ({ caster }) => caster?.name)]
    .map(([name, own]) => [name, new Set(own.map(({ recipient }) => recipient))] as const)
    .filter(([, { size }]) => size > 1)
    .map(([name, recipients]) => `${name} has the histories ${[...recipients].join(', ')}`),
  ...[...grouped(votes, ({ recipient }) => recipient)]
    .map(([recipient, own]) => [recipient, new Set(own.map(({ caster }) => caster))] as const)
    .filter(([, { size }]) => size > 1)
    .map(([recipient, { size }]) => `the history of ${recipient} is that of ${size} players`),
];
