/**
 * Writes what can be seen of a build from outside into a folder, so that two builds can be compared with `diff -r`:
 * `npm run record -- --out DIR [--dist FOLDER]`, after `npm run build`. It runs the commands of the build in a scenario, twice, with processes on loopback
 * and files in temporary folders, and blanks what differs between the two. It takes about three minutes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { movedBuild, ownFolder } from './programs.ts';
import { scenario } from './scenario.ts';

/** Stands for what differs from run to run. */
const BLANK = '…';

/** What looks like a time, an ID, a port, a secret or a place of this machine, in texts. */
const VOLATILE: readonly RegExp[] = [
  /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g,
  /\b\d{4}-\d\d(?:-\d\d)?\b/g,
  /\b\d{1,2} [A-Z][a-z]{2} \d{4}(?:,? \d\d:\d\d(?::\d\d)?)?/g,
  /\b\d\d:\d\d(?::\d\d)?\b/g,
  /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi,
  /\/tmp\/[\w./-]+/g,
  /(?<=(?:127\.0\.0\.1|localhost|\[::\]|\[::1\]|0\.0\.0\.0):)\d+/g,
  /\b[A-Za-z0-9_-]{32,}\b/g,
  /\b\d+(?:\.\d+)? (?:ms|s|seconds?|minutes?)\b/g,
  /\bjust now\b/g,
];
/** In milliseconds since 1970, of this decade. */
const isTime = (value: number): boolean => value > 1.7e12 && value < 2.1e12;

const { values } = parseArgs({
  options: { out: { type: 'string' }, dist: { type: 'string', default: 'dist' } },
});
if (values.out === undefined) throw new Error('--out DIR is missing');
const out = resolve(values.out);

const cli = movedBuild(resolve(values.dist), ownFolder());

const first = await scenario(cli, (step) => process.stderr.write(`first run: ${step}\n`));
const second = await scenario(cli, (step) => process.stderr.write(`second run: ${step}\n`));

const unsure: string[] = [];
for (const [name, seen] of first) {
  const file = join(out, `${name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(common(seen, second.get(name), name), null, 2)}\n`);
}
for (const name of second.keys()) if (!first.has(name)) unsure.push(`${name}: only in the second run`);
process.stdout.write(`${first.size} recorded in ${out}\n`);
for (const line of unsure) process.stdout.write(`differs between the two runs: ${line}\n`);

/** What both have; a text, number or boolean that differs is blanked, and another shape is named. */
function common(one: unknown, other: unknown, path: string): unknown {
  const [a, b] = [withoutVolatile(one), withoutVolatile(other)];
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.map((each, index) => common(each, b[index], `${path}[${index}]`));
  if (isRecord(a) && isRecord(b) && Object.keys(a).join() === Object.keys(b).join())
    return Object.fromEntries(
      Object.entries(a).map(([key, each]) => [key, common(each, b[key], `${path}.${key}`)]),
    );
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  if (isRecord(a) || Array.isArray(a) || typeof a !== typeof b) unsure.push(path);
  return BLANK;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutVolatile(value: unknown): unknown {
  if (typeof value === 'number') return isTime(value) ? BLANK : value;
  return typeof value === 'string'
    ? VOLATILE.reduce((text, each) => text.replaceAll(each, BLANK), value)
    : value;
}
