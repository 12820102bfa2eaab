import { z } from 'zod';
import { templateText } from '../core/template.ts';
import { COMMAND_BYTES_MAX, type TemplateFault, templateFaults } from '../core/template-fault.ts';
import { LIMIT_PER, LIMIT_WITHIN } from '../rewards/limit.ts';
import { conditionShape } from './condition-schemas.ts';
import { distinct, line, list, section, wholeNumber } from './values.ts';

const COMMAND_SENTENCE = 'must be a command in quotes, or a list of its parts (strings and objects)';

const part = z.union([z.string(), z.looseObject({})], { error: COMMAND_SENTENCE });

const command = z
  .union([z.string(), z.array(part).min(1)], { error: COMMAND_SENTENCE })
  .meta({ title: 'command' })
  .transform((written, context) => {
    const template = templateText(written);
    for (const fault of templateFaults(template)) {
      const params = { code: 'config-template' };
      context.addIssue({ code: 'custom', message: templateSentence(fault), params });
    }
    return template;
  });

function templateSentence(fault: TemplateFault): string {
  switch (fault.kind) {
    case 'empty':
      return 'must not be empty';
    case 'line-break':
      return 'must be one line without control characters; write each command as its own entry of the list';
    case 'near-miss':
      return `has the unknown placeholder ${fault.written}; perhaps you meant {${fault.meant}}`;
    case 'too-long':
      return `can become ${fault.bytes} bytes long, but game servers read at most ${COMMAND_BYTES_MAX}; shorten it`;
  }
}

const servers = z
  .union([z.literal('all'), distinct(line(32), 1, 100)], {
    error: 'must be a list of names from `gameServers`, or "all"',
  })
  .meta({ title: 'list of names, or "all"' });

const reward = section({
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
  servers: servers
    .optional()
    .describe('Game servers on which the reward is paid. Required if there is more than one.'),
  commands: list(command, 1, 100).describe(
    'Commands to run, in order. {player}, {uuid}, {site}, {service} and {userId} (or %player% …) are filled in. {uuid} comes from `list uuids` of the game server, so it needs `"when": "online"`.',
  ),
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

export const rewards = list(reward, 0, 1000)
  .prefault([
    { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] },
    { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] },
  ])
  .describe('What votes earn: every reward whose `if` holds is granted, in order.');

export type RewardEntry = z.output<typeof reward>;
