import type { z } from 'zod';
import { oneLineJson } from '../core/json.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { examplesOf } from './describe.ts';
import type { FaultAtPath, FaultCode } from './fault.ts';
import { configSchema } from './schema.ts';

export type CheckedBy<Schema extends z.ZodType> =
  | { readonly kind: 'entries'; readonly entries: z.output<Schema> }
  | { readonly kind: 'faults'; readonly faults: readonly FaultAtPath[] };

export type Checked = CheckedBy<typeof configSchema>;

/** Checks a parsed config against the schema. */
export const checkEntries = (value: unknown): Checked => checkBy(configSchema, value);

/** Checks what was parsed from a file against a schema. */
export function checkBy<Schema extends z.ZodType>(schema: Schema, value: unknown): CheckedBy<Schema> {
  const result = schema.safeParse(value, { error: sentence });
  return result.success
    ? { kind: 'entries', entries: result.data }
    : { kind: 'faults', faults: result.error.issues.flatMap(faultsOf).map(withExample(schema)) };
}

interface Found extends FaultAtPath {
  /** For example a string where an object belongs. */
  readonly isOfAnotherKind: boolean;
}

/** A value of another kind, or one that is missing, is best explained by one that is right. Some sentences name one already. */
function withExample(schema: z.ZodType): (found: Found) => FaultAtPath {
  const exampleAt = examplesOf(schema);
  return ({ isOfAnotherKind, ...fault }) => {
    if (!isOfAnotherKind || fault.sentence.includes('such as')) return fault;
    const example = exampleAt(fault.path);
    if (example === undefined || typeof example === 'boolean') return fault;
    return { ...fault, sentence: `${fault.sentence}, such as ${oneLineJson(example)}` };
  };
}

/**
 * A value that may be written in several ways is read as the one whose faults are deepest inside it, or else as the one that
 * knows most of its keys, so that the faults are those of what was meant.
 */
function faultsOf(issue: z.core.$ZodIssue): readonly Found[] {
  if (issue.code !== 'invalid_union') return [faultOf(issue)];
  const [meant = []] = issue.errors.toSorted(
    (a, b) => depthOf(b) - depthOf(a) || unknownKeys(a) - unknownKeys(b),
  );
  if (meant.length === 0 || (depthOf(meant) === 0 && issue.message !== READ_EACH)) return [faultOf(issue)];
  return meant.flatMap((each) => faultsOf({ ...each, path: [...issue.path, ...each.path] }));
}

const depthOf = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(0, ...issues.map(({ path }) => path.length));

const unknownKeys = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.filter((each) => codeOf(each) === 'config-unknown-key' && each.path.length === 1).length;

const faultOf = (issue: z.core.$ZodIssue): Found => ({
  isOfAnotherKind: issue.code === 'invalid_type',
  code: codeOf(issue),
  path: issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
  sentence: issue.message,
});

const codeOf = (issue: z.core.$ZodIssue): FaultCode => {
  if (issue.code !== 'custom') return 'config-value';
  return (issue.params?.code as FaultCode | undefined) ?? 'config-value';
};

/** Never shown: `faultsOf` shows the faults inside. */
const READ_EACH = 'fits none of the ways to write it';

/** The sentence for issues whose value type has none of its own. */
function sentence(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${issue.input === undefined ? 'is missing; it ' : ''}must be ${described(issue.expected)}`;
    case 'invalid_value':
      return oneOf(issue.input, issue.values.map(String));
    case 'invalid_union':
      return issue.discriminator === undefined
        ? READ_EACH
        : oneOf(discriminated(issue), (issue.options as readonly string[] | undefined) ?? []);
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not allowed as a key here';
    default:
      return 'is not valid';
  }
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'an object, in braces { }',
  record: 'an object, in braces { }',
  array: 'a list, in brackets [ ]',
  boolean: 'true or false, without quotes',
  string: 'a string, in quotes',
};

const described = (expected: string): string => KINDS[expected] ?? `a ${expected}`;

const discriminated = (issue: z.core.$ZodRawIssue): unknown => {
  const { input } = issue;
  const key = String(issue.discriminator);
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[key] : input;
};

function oneOf(written: unknown, known: readonly string[]): string {
  const choice = known.map((word) => `"${word}"`).join(', ');
  const meant = typeof written === 'string' ? nearestWord(written, known) : null;
  const missing = written === undefined ? 'is missing; it ' : '';
  return `${missing}must be one of ${choice}${meant === null ? '' : `; perhaps you meant "${meant}"`}`;
}
