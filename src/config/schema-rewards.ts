import * as z from 'zod';
import { distinct, duration, line, list, section, wholeNumber } from '../core/config-values.ts';
import { conditionEntries } from '../rewards/conditions.ts';
import { LIMIT_PER, LIMIT_WITHIN } from '../rewards/reward.ts';
import { conditionShape } from './condition-schemas.ts';
import { commands, oneOf, prizes } from './schema-commands.ts';
import { announcementShape, messageShape, messagesOf } from './schema-messages.ts';

const serverNames = distinct(line(32), 1, 100);

/** The game servers that something is for. */
export const servers = z
  .union([z.enum(['all', 'where-online']), serverNames, section({ whereOnline: serverNames })], {
    error:
      'must be a list of names from `gameServers`, "all", "where-online", or {"whereOnline": a list of names}',
  })
  .meta({ title: 'list of names, "all" or "where-online"' });

const plainReward = section({
  name: line(64).describe('Name of the reward in pages and commands; must be unique.'),
  was: distinct(line(64), 0, 10)
    .prefault([])
    .describe('Earlier names of the reward. It carries on what was counted and granted under them.'),
  if: section(conditionShape)
    .prefault({})
    .describe('Conditions for granting the reward; all of them must hold.'),
  when: z
    .enum(['online', 'always'])
    .default('online')
    .describe('online: waits until the player is on the game server. always: pays at once.'),
  delay: duration('0s', '366d')
    .prefault('0s')
    .describe('How long after it was granted the reward is paid at the earliest.'),
  expiresAfter: duration('1m', '366d')
    .optional()
    .describe(
      'How long a grant may wait for its first command, from the end of `delay` on; then it is cancelled. Time in a pause does not count. Default: for ever.',
    ),
  servers: servers
    .optional()
    .describe(
      'Game servers on which the reward is paid, on each of them. "where-online", or {"whereOnline": ["sky", "survival"]}: it is paid once, on the one that the player is on, or is first on later. Required if there is more than one.',
    ),
  commands: commands
    .optional()
    .describe(
      'Commands to run, in order. {player}, {uuid}, {site}, {service} and {userId} (or %player% …) are filled in, and so are figures such as {votes}, and {random 1..6}. {uuid} comes from `list uuids` of the game server, so it needs `"when": "online"`. Required without `prizes`, `oneOf` and a message.',
    ),
  prizes: prizes
    .optional()
    .describe(
      'Commands by the total or streak that was reached, such as {"1": […], "2..3": […]}. Without a match, `commands` are run.',
    ),
  oneOf: oneOf
    .optional()
    .describe(
      'One entry is drawn for each vote, the same on every game server; its commands are run after `commands`.',
    ),
  otherwise: commands.optional().describe('Commands to run where `chance` is lost.'),
  ...messageShape,
  ...announcementShape,
  limit: section({
    per: z.enum(LIMIT_PER).describe('player: for each player. network: for all players together.'),
    count: wholeNumber(1, 1_000_000).describe('How many votes may be granted the reward.'),
    within: z
      .enum(LIMIT_WITHIN)
      .describe(
        'In a day, week or month of `timeZone`, in any 24 hours, or ever; by the times of the votes.',
      ),
  })
    .optional()
    .describe('How often the reward is granted at most. A full limit keeps an occasion for a later vote.'),
  stop: z
    .boolean()
    .default(false)
    .describe('true: a vote that is granted this reward gets none of the rewards after it.'),
  safeToRunTwice: z
    .boolean()
    .default(false)
    .describe('true: run a command again if its outcome is unknown, instead of holding it for you.'),
});

type WrittenReward = z.output<typeof plainReward>;

const COMMANDS_MISSING = 'is missing; name commands to run, or use `prizes`, `oneOf` or a `message`';

/** Rules between the keys of a reward. */
function addFaults(written: WrittenReward, add: (key: keyof WrittenReward, message: string) => void): void {
  const { if: conditions, commands: run, prizes: byThreshold, oneOf: drawn, otherwise } = written;
  const isEmpty = run === undefined && byThreshold === undefined && drawn === undefined;
  if (isEmpty && messagesOf(written).length === 0) {
    add('commands', COMMANDS_MISSING);
  }
  if (byThreshold !== undefined && drawn !== undefined) {
    add('oneOf', 'cannot be used with `prizes`; split it into two rewards');
  }
  const thresholds = conditionEntries.filter(
    ([key, each]) => each.hasThreshold && conditions[key] !== undefined,
  );
  if (byThreshold !== undefined && thresholds.length !== 1) {
    const names = conditionEntries.filter(([, each]) => each.hasThreshold).map(([key]) => `\`${key}\``);
    add('prizes', `need a total or a streak: \`if\` has to have exactly one of ${names.join(', ')}`);
  }
  if (otherwise !== undefined && conditions.chance === undefined) {
    add('otherwise', 'is run where a chance is lost, so `if` needs a `chance`');
  }
}

/** Rules about announcements. */
function addAnnouncementFaults(
  written: WrittenReward,
  add: (key: keyof WrittenReward, message: string) => void,
): void {
  const { announce, broadcast, atMost, safeToRunTwice } = written;
  const own = announce || broadcast !== undefined;
  if (!own && atMost !== undefined)
    add('atMost', 'is about announcements, so it needs `broadcast` or `"announce": true`');
  if (announce && safeToRunTwice)
    add('safeToRunTwice', 'cannot be true with `"announce": true`: an announcement is never sent again');
}

const reward = plainReward.superRefine((written, context) => {
  addAnnouncementFaults(written, (key, message) =>
    context.addIssue({ code: 'custom', path: [key], message }),
  );
  addFaults(written, (key, message) => context.addIssue({ code: 'custom', path: [key], message }));
});

const FIRST_OF_EXAMPLE = [
  { name: 'lucky', if: { chance: '5%' }, commands: ['give {player} diamond 10'] },
  { name: 'usual', commands: ['give {player} diamond 1'] },
];

const firstOf = section({
  firstOf: list(reward, 2, 100)
    .meta({ title: 'list of rewards', example: FIRST_OF_EXAMPLE })
    .describe('Rewards of which a vote gets only the first that can be granted.'),
});

const REWARDS_MAX = 1000;

export const rewards = list(z.union([reward, firstOf]), 0, REWARDS_MAX)
  .prefault([
    { name: 'thanks', when: 'always', safeToRunTwice: true, commands: ['say {player} voted on {site}'] },
    { name: 'each-vote', when: 'online', commands: ['give {player} diamond 1'] },
    { name: 'daily', when: 'online', if: { firstVote: 'day' }, commands: ['xp add {player} 100'] },
  ])
  .transform((written) => written.flatMap(rewardsIn))
  .refine((found) => found.length <= REWARDS_MAX, {
    error: `must be a list of at most ${REWARDS_MAX} rewards, with those of \`firstOf\``,
  })
  .describe('What votes earn: every reward whose `if` holds is granted, in order.');

/** A reward, and the name of the first reward of its `firstOf`; null if it is in none. */
export type RewardEntry = WrittenReward & { readonly firstOf: string | null };

const rewardsIn = (written: WrittenReward | z.output<typeof firstOf>): readonly RewardEntry[] => {
  if (!('firstOf' in written)) return [{ ...written, firstOf: null }];
  const [first] = written.firstOf;
  return written.firstOf.map((each) => ({ ...each, firstOf: first?.name ?? null }));
};
