import * as z from 'zod';
import { duration, line, list, section } from '../core/config-values.ts';
import { longestPublished, PUBLISHED } from '../core/figure-template.ts';
import { askedBeside } from '../core/placeholders.ts';
import { COMMAND_BYTES_MAX } from '../core/template-bytes.ts';
import { WORDS } from '../rewards/grants.ts';
import { commands, templateSentence } from './schema-commands.ts';
import { servers } from './schema-rewards.ts';

const common = {
  name: line(64).describe('Its name; no reward and no other entry may have it.'),
  servers: servers
    .optional()
    .describe('Game servers on which the commands are run. Required if there is more than one.'),
};

const publishEntry = section({
  ...common,
  every: duration('1s', '1d').prefault('1m').describe('How often the commands are run.'),
  commands: commands.describe(
    'Commands that show figures: {top1} to {top10} and {top1Votes} to {top10Votes} of the month, {partyVotes} and {partyLeft} of the first party. One with {player}, {rank}, {votes} or {votesMonth} is run for each player who is online.',
  ),
}).superRefine(({ commands: run }, context) => {
  const unknown = askedBeside(run, PUBLISHED);
  if (unknown !== undefined) {
    const message = `cannot use ${unknown}, which is about one vote or reward; see the figures of \`publish\``;
    context.addIssue({ code: 'custom', path: ['commands'], message });
  }
  for (const [at, bytes] of run.map(longestPublished).entries()) {
    if (bytes <= COMMAND_BYTES_MAX) continue;
    const message = templateSentence({ kind: 'too-long', bytes });
    context.addIssue({
      code: 'custom',
      path: ['commands', at],
      message,
      params: { code: 'config-template' },
    });
  }
});

export const publish = list(publishEntry, 0, 100)
  .prefault([])
  .describe('Figures that are sent again and again, for scoreboards and holograms.');

const remindEntry = section({
  ...common,
  onJoin: z.boolean().default(true).describe('Whether players are told when they join.'),
  every: duration('1m', '7d')
    .optional()
    .describe('How often players are told while they are online. Default: never again.'),
  commands: commands.describe(
    'Commands to run for each player who is online and may vote on a site with an entry of its own. {player}, {sitesLeft}, {voteLinks} and {nextVote} are filled in.',
  ),
}).superRefine(({ commands: run, onJoin, every }, context) => {
  const add = (key: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [key], message });
  const unknown = askedBeside(run, WORDS.remind);
  if (unknown !== undefined)
    add(
      'commands',
      `cannot use ${unknown}; a reminder knows ${WORDS.remind.map((name) => `{${name}}`).join(', ')}`,
    );
  if (!onJoin && every === undefined)
    add('every', 'is required with `"onJoin": false`, or nobody is ever told');
});

export const remind = list(remindEntry, 0, 100)
  .prefault([])
  .describe('What players who are online and may vote now are told.');
