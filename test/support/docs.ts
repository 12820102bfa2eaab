import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type RefusalCode, refusalEntry, refusals } from '../../protocol/votifier/refusals.ts';
import { type WebhookRefusalCode, webhookRefusals } from '../../protocol/webhook/refusals.ts';
import { findingCodes } from '../../src/check/finding.ts';
import { loadCommands } from '../../src/commands/all.ts';
import { configKeys } from '../../src/config/describe.ts';
import { problems } from '../../src/core/problem.ts';
import {
  cannotTellReasons,
  neverSentReasons,
  notSentReasons,
  unknownReasons,
} from '../../src/delivery/reasons.ts';
import { refusalCauses } from '../../src/intake/refusal-codes.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemDice } from '../../src/runtime/dice.ts';
import { failures, successes } from '../../src/sender/result.ts';
import { fakeTerminal } from './fake-terminal.ts';

export const README = join(import.meta.dirname, '../../README.md');

/** Between backticks everything but the bar stands for itself. */
const escaped = (cell: string): string =>
  cell
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')))
    .join('')
    .replaceAll('|', '\\|');

const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.map(escaped).join(' | ')} |`).join('\n');

const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** A command with its subcommands, each with the arguments and flags that it takes. */
function commandRows(command: Command, parents: readonly string[] = []): string[][] {
  const path = [...parents, command.name()];
  const args = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  const flags = command.options.map(({ long }) => long ?? '').filter((flag) => flag !== '');
  const row = [code([...path, ...args].join(' ')), command.description(), flags.map(code).join(' ')];
  return [row, ...command.commands.flatMap((child) => commandRows(child, path))];
}

const reasonRows = (reasons: Readonly<Record<string, string>>, outcome: string): string[][] =>
  Object.entries(reasons).map(([name, sentence]) => [code(name), code(outcome), sentence]);

/** What a v2 sender is told in the reply, and the sender of a webhook with the status; others hear nothing. */
function heardFor(counted: string): string {
  const posted = counted.replace(/^webhook-/, '');
  if (posted !== counted && posted in webhookRefusals) {
    const { status, hears } = webhookRefusals[posted as WebhookRefusalCode];
    return `${status}: \`${hears}\``;
  }
  const { hears } = counted in refusals ? refusalEntry(counted as RefusalCode) : {};
  return hears === undefined ? '' : code(hears.message);
}

/** What stands for the facts in a sentence of the sender. */
const PLACE = { where: 'HOST:PORT', detail: '…' };

const sections: Readonly<Record<string, () => Promise<string>>> = {
  commands: async () => {
    const parts = { clock: systemClock, dice: systemDice, stopped: async () => {}, teller: 'teller' };
    const commands = await loadCommands(fakeTerminal(), parts);
    return table(
      ['command', 'does', 'flags'],
      commands.flatMap((command) => commandRows(command)),
    );
  },
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
  sending: async () =>
    table(
      ['code', 'did it arrive?', 'it means'],
      [
        ...Object.entries(successes).map(([name, { kind, sentence }]) => [
          code(name),
          kind === 'accepted' ? 'yes' : 'unknown',
          sentence(PLACE),
        ]),
        ...Object.entries(failures).map(([name, { reached, sentence }]) => [
          code(name),
          reached,
          sentence(PLACE),
        ]),
      ],
    ),
  findings: async () =>
    table(
      ['code', 'it is about'],
      Object.entries(findingCodes).map(([name, means]) => [code(name), means]),
    ),
  refusals: async () =>
    table(
      ['code', 'the sender …', 'it hears'],
      Object.entries(refusalCauses).map(([name, cause]) => [code(name), cause, heardFor(name)]),
    ),
};

/** README with its generated tables as the code has them now. */
export async function currentReadme(): Promise<string> {
  let text = readFileSync(README, 'utf8');
  for (const [name, write] of Object.entries(sections)) {
    const between = new RegExp(`(<!-- generated: ${name} -->\\n)[\\s\\S]*?(<!-- end -->)`);
    const body = await write();
    text = text.replace(between, (_, begin: string, end: string) => `${begin}\n${body}\n\n${end}`);
  }
  return text;
}
