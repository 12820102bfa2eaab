import { messageJson } from '../core/message-text.ts';
import { filledIn } from '../core/placeholders.ts';
import { templateFaults } from '../core/template-fault.ts';
import type { ConversionReport } from './conversion.ts';

/** What a plugin's placeholders become, by name in lower case. */
export type Placeholders = ReadonlyMap<string, string>;

const PERCENT = /%([A-Za-z][\w.-]*)%/g;

interface Translated {
  readonly text: string;
  /** Placeholders that mean nothing here, as written. */
  readonly unknown: readonly string[];
}

/** Braces in a plugin's text are text, but some words in them would be placeholders here. */
const BRACES = /\{[A-Za-z][\w .-]*\}/g;

/** Replaces `%name%`. What is not known is removed. */
function translated(text: string, known: Placeholders): Translated {
  const unknown: string[] = [];
  const own = text.replaceAll(BRACES, (written) => {
    if (filledIn(written).length === 0) return written;
    unknown.push(written);
    return '';
  });
  const result = own.replaceAll(PERCENT, (written, name: string) => {
    const value = known.get(name.toLowerCase());
    if (value === undefined) unknown.push(written);
    return value ?? '';
  });
  return { text: result, unknown };
}

/** A command of a plugin as a command here; null if it cannot be one, which is reported. */
function commandFrom(
  written: string,
  known: Placeholders,
  report: ConversionReport,
  where: string,
): string | null {
  const { text, unknown } = translated(written, known);
  const command = text.trim().replace(/^\//, '');
  const whyNot =
    unknown.length > 0
      ? `uses ${unknown.join(' and ')}, which only the plugin knows; write the command without it`
      : faultOf(command);
  if (whyNot === null) return command;
  report.left(where, `the command “${written}” ${whyNot}`);
  return null;
}

/** A reward has at most 100 commands; this many leave room for its messages and items. */
const COMMANDS_MAX = 80;

export function commandsFrom(
  written: readonly string[],
  known: Placeholders,
  report: ConversionReport,
  where: string,
): readonly string[] {
  const found = written.flatMap((each) => commandFrom(each, known, report, where) ?? []);
  if (found.length > COMMANDS_MAX) {
    report.left(
      where,
      `only the first ${COMMANDS_MAX} commands were converted; write the others into another reward`,
    );
  }
  return found.slice(0, COMMANDS_MAX);
}

function faultOf(command: string): string | null {
  const [fault] = templateFaults(command);
  switch (fault?.kind) {
    case undefined:
      return null;
    case 'empty':
      return 'is empty';
    case 'line-break':
      return 'has a line break; write each command as its own entry';
    case 'near-miss':
      return `has ${fault.written}, which Teller would take for a misspelled {${fault.meant}}`;
    case 'too-long':
      return `can become ${fault.bytes} bytes long, which is more than game servers read`;
  }
}

/** Colours such as `&#ff8800` and `#ff8800` need a setting of the game server, so they are left out. */
const HEX = /&?#[0-9a-f]{6}/gi;

/**
 * A message of a plugin as text with `&` codes; null if nothing of it can be shown. Unknown placeholders and colours by
 * number are removed from it and reported.
 */
export function messageFrom(
  written: string,
  known: Placeholders,
  report: ConversionReport,
  where: string,
): string | null {
  if (/\[Text="/i.test(written)) {
    report.left(where, 'the message has parts to click on; write it as a `tellraw` command');
    return null;
  }
  const { text, unknown } = translated(written.replaceAll(/%newline%/gi, '\n').replaceAll('§', '&'), known);
  if (unknown.length > 0) {
    report.left(
      where,
      `the message had ${unknown.join(' and ')}, which only the plugin knows; check what is left of it`,
    );
  }
  const plain = text.replaceAll(HEX, '');
  if (plain !== text) {
    report.left(
      where,
      'the message had colours by number; with gameServers.<name>.version it can have them again',
    );
  }
  const shown = plain.replaceAll(/[^\P{Cc}\n]|[\u2028\u2029]/gu, ' ').trim();
  if (shown === '') return null;
  const whyNot = faultOf(tellraw('{player}', shown));
  if (whyNot === null) return shown;
  report.left(where, `the message “${written}” ${whyNot}`);
  return null;
}

/** A command that shows a message. */
export const tellraw = (to: '{player}' | '@a', message: string): string =>
  `tellraw ${to} ${messageJson(message)}`;
