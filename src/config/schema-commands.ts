import * as z from 'zod';
import { errorSentence, line, list, section, wholeNumber } from '../core/config-values.ts';
import { templateText } from '../core/template.ts';
import { COMMAND_BYTES_MAX } from '../core/template-bytes.ts';
import { type TemplateFault, templateFaults } from '../core/template-fault.ts';
import type { Prize } from '../rewards/reward.ts';

const COMMAND_SENTENCE = 'must be a command in quotes, or a list of its parts (strings and objects)';

const part = z.union([z.string(), z.looseObject({})], { error: COMMAND_SENTENCE });

/** A command, in one string or in parts. */
const command = z
  .union([z.string(), z.array(part).min(1)], { error: COMMAND_SENTENCE })
  .meta({ title: 'command', example: 'give {player} diamond 1' })
  .transform((written, context) => {
    const template = templateText(written);
    for (const fault of templateFaults(template)) {
      const params = { code: 'config-template' };
      context.addIssue({ code: 'custom', message: templateSentence(fault), params });
    }
    return template;
  });

export function templateSentence(fault: TemplateFault): string {
  switch (fault.kind) {
    case 'empty':
      return 'must not be empty';
    case 'line-break':
      return 'must be one line without control characters; write each command as its own entry of the list';
    case 'near-miss':
      return `has the unknown placeholder ${fault.written}; perhaps you meant {${fault.meant}}`;
    case 'removed':
      return `has ${fault.written}, which is not a placeholder any more: ${fault.instead}`;
    case 'too-long':
      return `can become ${fault.bytes} bytes long, but game servers read at most ${COMMAND_BYTES_MAX}; shorten it`;
  }
}

export const commands = list(command, 1, 100);

const AT_MOST = 1_000_000_000;
const PRIZE_KEY = /^([1-9]\d{0,8})(?:\.\.([1-9]\d{0,8}))?$/;
const noPrizeKey = errorSentence(
  'must be a total or streak such as "10", or a range such as "2..3", the smaller number first',
);

const rangeOf = (key: string): Omit<Prize, 'commands'> => {
  const [, from, to = from] = PRIZE_KEY.exec(key) ?? [];
  return { from: Number(from), to: Number(to) };
};

const prizeKey = z
  .string(noPrizeKey)
  .regex(PRIZE_KEY, noPrizeKey)
  .refine((key) => rangeOf(key).from <= rangeOf(key).to && rangeOf(key).to <= AT_MOST, noPrizeKey)
  .meta({ title: 'total or range', example: '10' });

/** Commands by the total or streak that was reached. */
export const prizes = z
  .record(prizeKey, commands)
  .refine((written) => Object.keys(written).length > 0, { error: 'must have at least one entry' })
  .transform((written, context) => {
    const found = Object.entries(written).map(([key, run]): Prize => ({ ...rangeOf(key), commands: run }));
    const sorted = found.toSorted((a, b) => a.from - b.from);
    for (const [at, prize] of sorted.entries()) {
      const before = sorted[at - 1];
      if (before === undefined || prize.from > before.to) continue;
      const message = `has two entries for ${prize.from}; each total or streak may have one`;
      context.addIssue({ code: 'custom', message });
    }
    return sorted;
  })
  .meta({ title: 'prizes' });

const alternative = section({
  name: line(64)
    .optional()
    .describe('Shown by `explain` and `preview`. Default: its place in the list, from 0.'),
  weight: wholeNumber(1, 1_000_000)
    .default(1)
    .describe('How likely it is: its share of the weights of all entries.'),
  commands: commands.describe('Commands to run, in order.'),
});

/** Commands of which one entry is drawn. */
export const oneOf = list(alternative, 2, 100)
  .transform((written) => written.map((each, at) => ({ ...each, name: each.name ?? String(at) })))
  .refine((entries) => new Set(entries.map(({ name }) => name)).size === entries.length, {
    error: 'has two entries with the same name',
  });
