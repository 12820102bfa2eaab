import * as z from 'zod';
import { distinct, duration, line, list, section, wholeNumber } from '../core/config-values.ts';
import { PERS } from '../core/period.ts';
import { askedBeside, PLACEHOLDERS, type Placeholder } from '../core/placeholders.ts';
import { WORDS } from '../rewards/grants.ts';
import { TIES } from '../rewards/reward.ts';
import { PARTY_FOR } from '../rewards/together.ts';
import { filter } from './condition-schemas.ts';
import { commands, prizes } from './schema-commands.ts';
import { servers } from './schema-rewards.ts';

const EVERY_MAX = 1_000_000;

const when = z
  .enum(['online', 'always'])
  .default('online')
  .describe('online: waits until the player is on the game server. always: pays at once.');

const common = {
  name: line(64).describe('Its name in pages and commands; no reward and no other entry may have it.'),
  was: distinct(line(64), 0, 10)
    .prefault([])
    .describe('Earlier names of the entry. It carries on what was counted, reached and paid under them.'),
  servers: servers
    .optional()
    .describe('Game servers on which it is paid. Required if there is more than one.'),
  safeToRunTwice: z
    .boolean()
    .default(false)
    .describe('true: run a command again if its outcome is unknown, instead of holding it for you.'),
};

const partyEntry = section({
  ...common,
  if: filter
    .prefault({})
    .describe('Which votes count for it, besides those that are counted in totals. Without it: all of them.'),
  every: wholeNumber(1, EVERY_MAX).describe('It is due whenever so many more votes have counted.'),
  for: z
    .enum(PARTY_FOR)
    .default('voters')
    .describe(
      'voters: the players whose votes made it. online: the players who are online when it is due. once: the commands are run once, for nobody in particular.',
    ),
  minOnline: wholeNumber(1, 10_000)
    .default(1)
    .describe(
      'With `"for": "online"`: if so many players are not seen online within ten minutes, the voters are paid instead.',
    ),
  userVotes: wholeNumber(1, EVERY_MAX)
    .default(1)
    .describe('How many votes a voter needs since the last party to be paid.'),
  reset: z
    .enum(PERS)
    .optional()
    .describe(
      'The count starts again with each day, week or month of `timeZone`, by the times of the votes. Default: never.',
    ),
  announceLeft: distinct(wholeNumber(1, EVERY_MAX), 0, 20)
    .prefault([50, 10, 5])
    .describe('`announce` is run when so many votes are left.'),
  announce: commands
    .prefault(['say Votes until the next vote party: {partyLeft}'])
    .describe('Commands that tell players how many votes are left. Never stored, and never sent later.'),
  when,
  commands: commands.describe(
    'Commands to run for each player who is paid, in order. {player}, {uuid}, {userId} and figures such as {votes} are filled in, and so are {partyVotes} and {partyLeft}.',
  ),
});

type WrittenParty = z.output<typeof partyEntry>;

/** What is said about one player. */
const OF_PLAYER: readonly Placeholder[] = [
  ...(['player', 'uuid', 'userId', 'nextVote', 'sitesLeft', 'streak', 'bestStreak'] as const),
  ...(['votes', 'votesDay', 'votesWeek', 'votesMonth', 'votesSite'] as const),
];

const NOT_OF_PLAYER = [...PLACEHOLDERS.filter((name) => !OF_PLAYER.includes(name)), 'random'];

function addFaults(party: WrittenParty, add: (key: keyof WrittenParty, message: string) => void): void {
  const ofVote = askedBeside(party.commands, WORDS.party);
  if (ofVote !== undefined) add('commands', `cannot use ${ofVote}, which is about one vote or reward`);
  const unknown = askedBeside(party.announce, WORDS.announce);
  if (unknown !== undefined)
    add('announce', `cannot use ${unknown}; it can use {partyLeft} and {partyVotes}`);
  if (party.for === 'once') {
    const named = askedBeside(party.commands, NOT_OF_PLAYER);
    if (named !== undefined)
      add('commands', `cannot use ${named} with \`"for": "once"\`: they are run for nobody in particular`);
  }
  if (party.for !== 'online' && party.minOnline > 1) add('minOnline', 'needs `"for": "online"`');
  if (party.for === 'once' && party.userVotes > 1) add('userVotes', 'cannot be used with `"for": "once"`');
}

export const party = list(
  partyEntry.superRefine((written, context) => {
    addFaults(written, (key, message) => context.addIssue({ code: 'custom', path: [key], message }));
  }),
  0,
  100,
)
  .prefault([])
  .describe('Vote parties: what players earn together whenever enough votes have counted.');

export type PartyEntry = WrittenParty;

const PLACES_MAX = 1000;

const topEntry = section({
  ...common,
  if: filter
    .prefault({})
    .describe('Which votes count for it, besides those that are counted in totals. Without it: all of them.'),
  period: z.enum(PERS).describe('Who has the most votes of a day, a week or a month of `timeZone`.'),
  prizes: prizes
    .refine((found) => found.every(({ to }) => to <= PLACES_MAX), {
      error: `must be for places up to ${PLACES_MAX}`,
    })
    .describe(
      'Commands by place, such as {"1": […], "2..3": […]}. {occasion} is then *top 2026-11 place 1*.',
    ),
  ties: z
    .enum(TIES)
    .default('first')
    .describe(
      'Players with as many votes: first: who reached them earlier is before the other. share: they share the place, and each gets its prize.',
    ),
  exclude: distinct(line(32), 0, 100)
    .prefault([])
    .describe('Names of players who get no place, in upper or lower case.'),
  settle: duration('0s', '7d')
    .prefault('1h')
    .describe(
      'How long after the end of a period its places are stored, at least: until then, late votes count.',
    ),
  when,
}).superRefine(({ prizes: byPlace }, context) => {
  const templates = byPlace.flatMap((prize) => prize.commands);
  const ofVote = askedBeside(templates, WORDS.tops);
  if (ofVote === undefined) return;
  const message = `cannot use ${ofVote}, which is about one vote or reward`;
  context.addIssue({ code: 'custom', path: ['prizes'], message });
});

export const tops = list(topEntry, 0, 100)
  .prefault([])
  .describe('Prizes for the players with the most votes of a day, week or month.');

export type TopEntry = z.output<typeof topEntry>;
