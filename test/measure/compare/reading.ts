/**
 * What can be seen of a build at the end of a history: what the CLI prints as JSON, what the game servers ran, and what senders
 * and the operator were answered. IDs are replaced by ranks, and what may come in any order is put into one, so that two builds
 * that do the same are equal. Times are compared: both builds have the same clock.
 */
import type { Ran } from '../programs.ts';
import { SERVERS } from './config.ts';
import type { Played } from './driver.ts';
import { rewardIn } from './peers.ts';
import type { History } from './steps.ts';

type Row = Readonly<Record<string, unknown>>;
type Run = Played['run'];

const ALL = ['--limit', '10000', '--json'] as const;
/** What is not about one player. */
const WHOLE = ['sites', 'party', 'tops', 'tops --period week'];
const OF_PLAYER = ['explain', 'players show', 'preview'];

/** Everything that is compared, by a name for where. */
export async function seenIn(history: History, { answers, ran, run }: Played): Promise<Row> {
  const votes = (await rows(run, 'votes', ...ALL)).toReversed();
  const grants = await rows(run, 'grants', ...ALL);
  const ids = new Ids(votes, grants);
  const seen: Record<string, unknown> = {
    votes: Object.fromEntries(votes.map((vote) => [ids.vote(vote.id), ids.without(vote)])),
    grants: Object.fromEntries(grants.map((grant) => [ids.grant(grant.id), ids.without(grant)])),
  };
  const findings = await rows(run, 'check', '--deep', '--offline', '--json');
  seen['check --deep'] = findings.map(({ mark, code }) => `${mark} ${code}`);
  for (const words of WHOLE) seen[words] = ids.without(await rows(run, ...words.split(' '), '--json'));
  for (const name of history.names)
    for (const words of OF_PLAYER)
      seen[`${words} ${name}`] = ids.without(printed(await run(...words.split(' '), name, '--json')));
  for (const server of SERVERS) seen[`ran on ${server}`] = inOrder(ran[server], history.names);
  for (const [step, answer] of Object.entries(answers))
    seen[`answer to step ${step}`] = ids.without(answered(answer));
  return seen;
}

/** The ID of `@vote N`, the N-th vote, of `@newest N`, or of `@held N`, the N-th grant that is held, in each case from the beginning again; null if there is none. */
export async function idNamed(word: string, run: Run): Promise<string | null> {
  const [what = '', number] = word.slice(1).split(' ');
  const votes = (await rows(run, 'votes', ...ALL)).toReversed();
  if (what === 'vote') return nth(votes, Number(number));
  if (what === 'newest') return nth(votes.toReversed(), Number(number));
  const all = await rows(run, 'grants', ...ALL);
  const ids = new Ids(votes, all);
  const grants = all
    .filter(({ state }) => state === what)
    .sort((a, b) => (ids.grant(a.id) < ids.grant(b.id) ? -1 : 1));
  return nth(grants, Number(number));
}

const nth = (found: readonly Row[], number: number): string | null =>
  found.length === 0 ? null : String(found[number % found.length]?.id);

async function rows(run: Run, ...words: readonly string[]): Promise<readonly Row[]> {
  const { out, err } = await run(...words);
  try {
    return JSON.parse(out) as readonly Row[];
  } catch {
    throw new Error(`teller ${words.join(' ')} prints no JSON: ${out}${err}`);
  }
}

/** The JSON that a command printed, its exit code, and the code of an error; sentences may be reworded. */
function printed({ exit, out, err }: Ran): Row {
  const codes = [...err.matchAll(/\[([a-z0-9-]+)\]$/gm)].map(([, code]) => code);
  return { exit, codes, out: out.startsWith('[') ? (JSON.parse(out) as unknown) : null };
}

const answered = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'exit' in answer ? printed(answer as Ran) : answer;

/** A build cannot be told what to draw. */
const ROLLED = /rolled [\d.]+%/g;

/** An ID in a sentence: `grant 14`, or in a command such as `teller grants cancel 14`. */
const NAMED = /\b(?:teller (grant|vote)s [a-z-]+|(grant|vote)) (\d+)\b/g;

/** Ranks in place of IDs: what is granted at one instant may be stored in any order. */
class Ids {
  private readonly votes = new Map<unknown, string>();
  private readonly grants = new Map<unknown, string>();

  constructor(votes: readonly Row[], grants: readonly Row[]) {
    for (const [index, { id }] of votes.entries())
      this.votes.set(id, `vote ${String(index + 1).padStart(3, '0')}`);
    const counts = new Map<string, number>();
    for (const grant of grants.toSorted((a, b) => Number(a.id) - Number(b.id))) {
      const { id, voteId, reward, server, player, occasion, whereOnline } = grant;
      const where = whereOnline === null ? server : 'where-online';
      const about = [this.vote(voteId), reward, occasion, player, where].map(String).join(' | ');
      const count = (counts.get(about) ?? 0) + 1;
      counts.set(about, count);
      this.grants.set(id, count === 1 ? about : `${about} | ${count}`);
    }
  }

  vote(id: unknown): string {
    return this.votes.get(id) ?? (id === null ? 'no vote' : 'unknown vote');
  }

  grant(id: unknown): string {
    return this.grants.get(id) ?? 'unknown grant';
  }

  /** The same value, with ranks. */
  without(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return this.sorted(value.map((each) => this.without(each)));
    if (key === 'voteId' || (key === 'takenBy' && typeof value === 'number')) return this.vote(value);
    if (typeof value === 'string') return this.ofSentence(value.replace(ROLLED, 'rolled …'));
    if (key === 'rolled') return null;
    if (typeof value !== 'object' || value === null) return value;
    const { id } = value as Row;
    const named = Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.without(each, name)]),
    );
    if (typeof id !== 'number') return named;
    return { ...named, id: 'state' in value ? this.grant(id) : this.vote(id) };
  }

  private ofSentence(sentence: string): string {
    return sentence.replace(
      NAMED,
      (words: string, inCommand: string | undefined, alone: string, id: string) => {
        const rank = (inCommand ?? alone) === 'grant' ? this.grant(Number(id)) : this.vote(Number(id));
        return `${words.slice(0, -id.length)}${rank}`;
      },
    );
  }

  /** Grants of one vote come in any order. */
  private sorted(values: unknown[]): unknown[] {
    const nameOf = (value: unknown): string | null => {
      const row = value as Row | null;
      return typeof row === 'object' && row !== null && 'state' in row && 'reward' in row
        ? String(row.id)
        : null;
    };
    if (values.some((value) => nameOf(value) === null)) return values;
    return values.toSorted((a, b) => ((nameOf(a) ?? '') < (nameOf(b) ?? '') ? -1 : 1));
  }
}

/** At one instant, rewards may be paid in any order; the commands of one reward for one player may not. */
function inOrder(ran: Played['ran']['main'], names: readonly string[]): readonly string[] {
  const about = (command: string): string => {
    const words = command.split(' ');
    return `${names.find((name) => words.includes(name)) ?? ''} ${rewardIn(command)}`;
  };
  return ran
    .map((one, index) => ({ ...one, index, whose: about(one.command) }))
    .sort((a, b) => a.at - b.at || (a.whose === b.whose ? a.index - b.index : a.whose < b.whose ? -1 : 1))
    .map(({ at, command, reply }) => `${new Date(at).toISOString()} ${command} → ${reply ?? 'no reply'}`);
}

/** Where two differ, as `path: one ≠ other`. @param ignored names of fields that are not compared. */
export function differences(one: unknown, other: unknown, ignored: ReadonlySet<string>, path = ''): string[] {
  if (isRow(one) && isRow(other)) {
    const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
      (key) => !ignored.has(key),
    );
    return keys.flatMap((key) =>
      differences(one[key], other[key], ignored, path === '' ? key : `${path}.${key}`),
    );
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    const at = one.findIndex((each, index) => differences(each, other[index], ignored).length > 0);
    const first = at < 0 && one.length < other.length ? one.length : at;
    return first < 0 ? [] : differences(one[first], other[first], ignored, `${path}[${first}]`);
  }
  return JSON.stringify(one) === JSON.stringify(other) ? [] : [`${path}: ${short(one)} ≠ ${short(other)}`];
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SHORT = 240;

function short(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
