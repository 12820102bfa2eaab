import path from 'node:path';
import * as z from 'zod';
import { checkBy } from '../../config/check-entries.ts';
import type { Config } from '../../config/config.ts';
import { ConfigProblem } from '../../config/fault.ts';
import { examineSource, inOrder, readWrittenText } from '../../config/load.ts';
import { readSource } from '../../config/read-source.ts';
import type { ConfigSource } from '../../config/source.ts';
import { errorSentence, line, list, section, serviceName, wholeNumber } from '../../core/config-values.ts';
import { exampleFaults } from './example-faults.ts';
import { asWritten, oneOrMore } from './one-or-more.ts';
import { time, votesEntry } from './written-votes.ts';

/** The parts of a config that a file of examples may have. */
const PARTS = ['sites', 'timeZone', 'players', 'gameServers', 'rewards', 'party', 'tops'] as const;

const noExpectation = errorSentence(
  'must be the list of commands in order, or an object that says how often each command runs, in any order',
);

/** In order; or how often each, in any order. */
const expected = z.union(
  [z.array(z.string()), z.record(z.string(), z.int().min(0).max(1_000_000))],
  noExpectation,
);

export type Expected = z.output<typeof expected>;

const only = section({
  reward: oneOrMore(line(64), 100).optional(),
  player: oneOrMore(line(64), 100).optional(),
  site: oneOrMore(serviceName, 100).optional(),
});

export const SEED_MAX = 0xffff_ffff;

const example = section({
  name: line(120),
  seed: wholeNumber(0, SEED_MAX).default(1),
  votes: list(votesEntry({ expect: expected.optional() }), 1, 1000),
  at: time.optional(),
  online: oneOrMore(line(64), 100).optional(),
  only: only.prefault({}),
  expect: expected.optional(),
}).superRefine(({ expect, votes }, context) => {
  if (expect !== undefined || votes.some((entry) => entry.expect !== undefined)) return;
  const message = 'is missing; say which commands the votes run, here or in an entry of `votes`';
  context.addIssue({ code: 'custom', path: ['expect'], message });
});

const fileSchema = section({
  ...(Object.fromEntries(PARTS.map((part) => [part, z.unknown().optional()])) as Record<
    (typeof PARTS)[number],
    z.ZodOptional<z.ZodUnknown>
  >),
  examples: list(example, 1, 1000),
});

/** Votes, and the commands that they are expected to run. */
export type Example = z.output<typeof example> & {
  /** Where it begins in the file. */
  readonly line: number;
};

export interface ExamplesFile {
  readonly file: string;
  /** Made of the file's own parts, or the one that it was read for. */
  readonly config: Config;
  /** In which times without a zone are read, and days begin. */
  readonly zone: string;
  readonly examples: readonly Example[];
}

export interface ConfigInUse {
  readonly config: Config;
  readonly zone: string;
}

/**
 * Reads a file of examples: with parts of a config, which are then the whole config of the examples, or without any.
 *
 * @param inUse the config for examples without one.
 * @throws ConfigProblem with all faults at once; Problem `examples-missing`
 */
export async function readExamples(file: string, inUse: () => Promise<ConfigInUse>): Promise<ExamplesFile> {
  const text = await readWrittenText(file, 'examples-missing', 'the file of examples');
  const source = await readSource(text, file);
  if (source.value === undefined) throw new ConfigProblem(file, source.faults);
  const checked = checkBy(fileSchema, source.value);
  const parts = partsOf(source.value);
  const own = parts === null ? null : await examineSource({ ...source, value: parts }, path.resolve(file));
  const found = checked.kind === 'faults' ? checked.faults : [];
  const faults = [
    ...(own?.faults ?? source.faults),
    ...found.map((fault) => source.locate(asWritten(fault, source.value))),
  ];
  if (checked.kind === 'faults' || faults.length > 0) throw new ConfigProblem(file, inOrder(faults));
  const { config, zone } =
    own === null || own.config === null
      ? await inUse()
      : { config: own.config, zone: own.config.timeZone ?? EXAMPLES_ZONE };
  const examples = checked.entries.examples.map((each, at) => ({ ...each, line: lineOf(source, at) }));
  const wrong = examples.flatMap((each, at) => exampleFaults(each, ['examples', at], config, zone));
  if (wrong.length > 0) throw new ConfigProblem(file, inOrder(wrong.map(source.locate)));
  return { file, config, zone, examples };
}

const lineOf = ({ locate }: ConfigSource, at: number): number =>
  locate({ code: 'config-value', path: ['examples', at], sentence: '' }).line;

/** Where the machine's time zone would decide, examples would pass on one machine and fail on another. */
const EXAMPLES_ZONE = 'UTC';

/** null: the file has no part of a config. */
function partsOf(value: unknown): object | null {
  const written = Object.entries(value ?? {}).filter(([key]) => (PARTS as readonly string[]).includes(key));
  return written.length === 0 ? null : { timeZone: EXAMPLES_ZONE, ...Object.fromEntries(written) };
}
