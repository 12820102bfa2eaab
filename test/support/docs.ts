import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tables } from './generated-tables.ts';

const ROOT = join(import.meta.dirname, '../..');
export const README = join(ROOT, 'README.md');

/** The page of each generated part, mostly tables, by the table's name. `npm run docs` writes them. */
export const pageOf: Readonly<Record<string, string>> = {
  commands: 'docs/reference/commands.md',
  config: 'docs/reference/config.md',
  problems: 'docs/reference/problems.md',
  refusals: 'docs/reference/refusals.md',
  findings: 'docs/reference/findings.md',
  'game servers': 'docs/reference/outcomes.md',
  'grant reasons': 'docs/reference/outcomes.md',
  sending: 'docs/reference/sending.md',
  'webhook fields': 'docs/developers/webhook-receiver.md',
  'webhook headers': 'docs/developers/webhook-receiver.md',
  'webhook sample': 'docs/developers/webhook-receiver.md',
  'webhook receiver': 'docs/developers/webhook-receiver.md',
  'api operations': 'docs/developers/api.md',
  'api errors': 'docs/developers/api.md',
  'api limits': 'docs/developers/api.md',
  conditions: 'docs/operators/rewards.md',
  'condition example': 'docs/contributing/adding-a-condition.md',
  bars: 'docs/contributing/performance.md',
  layers: 'docs/contributing/layers.md',
  alarms: 'docs/operators/alarms.md',
  'alarm failures': 'docs/operators/alarms.md',
};

export interface WrittenPage {
  readonly file: string;
  readonly text: string;
}

/** The page that contains this table, with the table regenerated. Throws if the page has no marker for it. */
export async function currentPage(name: string): Promise<WrittenPage> {
  const file = pageOf[name];
  const table = tables[name];
  if (file === undefined || table === undefined)
    throw new Error(`the table "${name}" has no page or no code`);
  return { file, text: withTable(readFileSync(join(ROOT, file), 'utf8'), name, await table()) };
}

export function withTable(text: string, name: string, table: string): string {
  const between = new RegExp(`(<!-- generated: ${name} -->\\n)[\\s\\S]*?(<!-- end -->)`);
  if (!between.test(text)) throw new Error(`no place for the table "${name}"`);
  return text.replace(between, (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`);
}

/** The names of the tables on a page. */
export const tablesIn = (text: string): string[] =>
  [...text.matchAll(/<!-- generated: (.+) -->/g)].map(([, name = '']) => name);
