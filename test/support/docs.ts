/** The pages of the docs that have parts which come from the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { apiErrors } from '../../protocol/listing-api.ts';
import { type RefusalCode, refusalEntry, refusals } from '../../protocol/votifier/refusals.ts';
import { type WebhookRefusalCode, webhookRefusals } from '../../protocol/webhook.ts';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { configKeys } from '../../src/config/describe.ts';
import { findingCodes } from '../../src/core/finding.ts';
import type { GrantReason, OwnGrantCode } from '../../src/core/grant-reason.ts';
import { problems } from '../../src/core/problems.ts';
import {
  cannotTellReasons,
  neverSentReasons,
  notSentReasons,
  unknownReasons,
} from '../../src/delivery/outcomes.ts';
import type { ApiParts } from '../../src/listing/api/api-env.ts';
import { listingApi } from '../../src/listing/api/listing-api.ts';
import { sampleReceiver } from '../../src/listing/docs/sample-receiver.ts';
import { headerMeanings, payloadRows, sampleDelivery } from '../../src/listing/docs/webhook-sections.ts';
import { budgets } from '../../src/listing/store/budgets.ts';
import { alarmKinds } from '../../src/notify/alarms/kinds.ts';
import { postFailures } from '../../src/notify/webhook/post-result.ts';
import { grantReasonSentence, grantTodos } from '../../src/operator/trace/grant-reasons.ts';
import { commandWays } from '../../src/operator/trace/grant-ways.ts';
import { conditionEntries } from '../../src/rewards/conditions.ts';
import { reachedBy, sendSentences } from '../../src/sender/conversation.ts';
import { refusalCauses } from '../../src/votes/refusals.ts';
import { bars, shown } from '../bench/report.ts';
import { everyCommand } from '../kit/typed.ts';
import { layers } from './layers.ts';

const ROOT = join(import.meta.dirname, '../..');

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

/** The page that contains this table, with the table regenerated. Throws if the page has no marker for it. */
export async function currentPage(name: string): Promise<{ file: string; text: string }> {
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

/** Inside backticks, only the bar has to be escaped. */
const escaped = (cell: string): string =>
  cell
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')))
    .join('')
    .replaceAll('|', '\\|');

const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.map(escaped).join(' | ')} |`).join('\n');

const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** A command and its subcommands, each with its arguments and flags. */
function commandRows(command: Command, parents: readonly string[] = []): string[][] {
  const path = [...parents, command.name()];
  const args = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  const flags = command.options.map(({ long }) => long ?? '').filter((flag) => flag !== '');
  const row = [code([...path, ...args].join(' ')), command.description(), flags.map(code).join(' ')];
  return [row, ...command.commands.flatMap((child) => commandRows(child, path))];
}

/** A table of codes and what each of them means. */
const codes = (heading: readonly string[], meanings: Readonly<Record<string, string | number>>): string =>
  table(
    heading,
    Object.entries(meanings).map(([name, means]) => [code(name), String(means)]),
  );

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

const reasonRows = (reasons: Readonly<Record<string, string>>, outcome: string): string[][] =>
  Object.entries(reasons).map(([name, sentence]) => [code(name), code(outcome), sentence]);

/** What the sender receives: a v2 sender the reply, the sender of a webhook the status, others nothing. */
function heardFor(counted: string): string {
  const posted = counted.replace(/^webhook-/, '');
  if (posted !== counted && posted in webhookRefusals) {
    const { status, hears } = webhookRefusals[posted as WebhookRefusalCode];
    return `${status}: \`${hears}\``;
  }
  const { hears } = counted in refusals ? refusalEntry(counted as RefusalCode) : {};
  return hears === undefined ? '' : code(hears.message);
}

/** The operations of the listing's API. It serves no requests here, so it needs no parts. */
function operationRows(): string[][] {
  const api = listingApi({} as ApiParts);
  const { paths = {} } = api.getOpenAPI31Document({ openapi: '3.1.0', info: { title: '', version: '' } });
  return Object.entries(paths).flatMap(([path, { get, post } = {}]) =>
    Object.entries({ GET: get, POST: post }).flatMap(([method, stated]) => {
      if (stated === undefined) return [];
      const scopes = (stated.security ?? []).flatMap(({ token = [] }) => token);
      return [[code(`${method} ${path}`), scopes.map(code).join(' or '), stated.summary ?? '']];
    }),
  );
}

/** An entry of `conditions`, with its comment. */
function conditionEntry(name: string): string {
  const source = readFileSync(join(ROOT, 'src/rewards/conditions.ts'), 'utf8');
  const at = source.indexOf(`\n  ${name}: condition({`);
  const entry = source.slice(source.lastIndexOf('\n\n', at) + 2, source.indexOf('\n  }),\n', at) + 6);
  return entry.replaceAll(/^ {2}/gm, '');
}

/** A reason with sample facts. */
function exampleOf(name: OwnGrantCode): GrantReason {
  const reply = 'what the game server replied';
  if (name === 'refused') return { code: name, facts: { reply } };
  if (name === 'delayed') return { code: name, facts: { until: Date.UTC(2026, 10, 22, 18) } };
  return name === 'by-operator' ? { code: name, facts: { dropped: 1 } } : { code: name };
}

/** Sample facts for the sentences of the sender. */
const PLACE = { where: 'HOST:PORT', detail: '…' };

/** The text between `<!-- generated: NAME -->` and `<!-- end -->`, by NAME. */
export const tables: Readonly<Record<string, () => Promise<string>>> = {
  commands: async () =>
    table(
      ['command', 'does', 'flags'],
      (await everyCommand()).flatMap((command) => commandRows(command)),
    ),
  config: async () =>
    table(
      ['key', 'type', 'default', 'reload', 'meaning'],
      configKeys().map((row) => [code(row.key), row.type, code(row.default), row.reload, row.meaning]),
    ),
  problems: async () =>
    table(
      ['code', 'exit', 'it means'],
      Object.entries(problems).map(([name, { exit, means }]) => [code(name), String(exit), means]),
    ),
  'game servers': async () =>
    table(
      ['code', 'so the command is', 'it means'],
      [
        ...reasonRows(notSentReasons, 'not-sent'),
        ...reasonRows(neverSentReasons, 'refused'),
        ...reasonRows(unknownReasons, 'unknown'),
        ...reasonRows(cannotTellReasons, 'kept waiting'),
      ],
    ),
  'grant reasons': async () =>
    table(
      ['code', 'it means', 'what to do'],
      Object.entries(grantTodos).map(([name, toDo]) => [
        code(name),
        grantReasonSentence(exampleOf(name as OwnGrantCode)),
        toDo({
          ...{ id: 'ID', server: 'the game server', player: 'the player', command: 'the command' },
          ways: commandWays,
        }),
      ]),
    ),
  sending: async () =>
    table(
      ['code', 'did it arrive?', 'it means'],
      Object.entries(sendSentences).map(([name, sentence]) => [
        code(name),
        reachedBy(name as keyof typeof sendSentences),
        sentence(PLACE),
      ]),
    ),
  findings: async () => codes(['code', 'it is about'], findingCodes),
  refusals: async () =>
    table(
      ['code', 'the sender …', 'it hears'],
      Object.entries(refusalCauses).map(([name, cause]) => [code(name), cause, heardFor(name)]),
    ),
  'webhook fields': async () =>
    table(
      ['field', 'type', 'meaning'],
      payloadRows().map(({ name, type, meaning }) => [code(name), type, meaning]),
    ),
  'webhook headers': async () => codes(['header', 'meaning'], headerMeanings),
  'webhook sample': async () => {
    const headers = Object.entries(sampleDelivery.headers).map(([name, value]) => `${name}: ${value}`);
    return block('text', ['POST /votes HTTP/1.1', ...headers, '', String(sampleDelivery.body)].join('\n'));
  },
  'webhook receiver': async () => block('js', sampleReceiver.trimEnd()),
  'api operations': async () => table(['request', 'scope', 'does'], operationRows()),
  'api errors': async () =>
    table(
      ['code', 'status', 'it means'],
      Object.entries(apiErrors).map(([name, { status, means }]) => [code(name), String(status), means]),
    ),
  'api limits': async () => codes(['what', 'in a minute'], budgets),
  conditions: async () =>
    table(
      ['condition', 'meaning'],
      conditionEntries.map(([name, { example, schema }]) => [
        code(`"if": { ${JSON.stringify(name)}: ${JSON.stringify(example)} }`),
        schema(schemaKit).description ?? '',
      ]),
    ),
  'condition example': async () =>
    block('ts', `${conditionEntry('weekday')}\n\n${conditionEntry('returning')}`),
  bars: async () =>
    table(
      ['measured', 'bar'],
      Object.values(bars).map(({ row, limit, unit, holds }) => [row, `${holds} ${shown(limit)} ${unit}`]),
    ),
  alarms: async () =>
    codes(['alarm', 'when'], Object.fromEntries(alarmKinds.map(({ code: name, means }) => [name, means]))),
  'alarm failures': async () =>
    table(
      ['code', 'HTTP', 'it means', 'what to do'],
      Object.entries(postFailures).map(([name, { means, toDo, ...more }]) => [
        code(name),
        'status' in more ? more.status : '',
        means,
        toDo('alarms'),
      ]),
    ),
  layers: async () =>
    table(
      ['folder', 'it may import', 'because'],
      Object.entries(layers).map(([folder, { imports, why }]) => [
        code(folder),
        imports
          .filter((name) => name !== folder)
          .map(code)
          .join(', '),
        why,
      ]),
    ),
};
