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

/** Replaces `%name%`. */
function translated(text: string, known: Placeholders): Translated {
  const unknown = (text.match(BRACES) ?? []).filter((written) => filledIn(written).length > 0);
  const result = text.replaceAll(PERCENT, (written, name: string) => {
    const value = known.get(name.toLowerCase());
    if (value === undefined) unknown.push(written);
    return value ?? '';
  });
  return { text: result, unknown };
}

/** A reward has at most 100 commands; this many leave room for its messages and items. */
const COMMANDS_MAX = 80;

/** Commands of a plugin as commands here. Those that cannot be any are reported. */
export function commandsFrom(
  written: readonly string[],
  known: Placeholders,
  report: ConversionReport,
  where: string,
): readonly string[] {
  if (written.length > COMMANDS_MAX)
    report.left(
      where,
      `it has ${written.length} commands, of which a reward here can have ${COMMANDS_MAX}; write several rewards`,
    );
  return written.map((each) => {
    const { text, unknown } = translated(each, known);
    const command = text.trim().replace(/^\//, '');
    const whyNot =
      unknown.length > 0
        ? `uses ${unknown.join(' and ')}, which only the plugin knows; write the command without it`
        : faultOf(command);
    if (whyNot !== null) report.left(where, `the command “${each}” ${whyNot}`);
    return command;
  });
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
    case 'removed':
      return `has ${fault.written}, which Teller does not fill in`;
    case 'too-long':
      return `can become ${fault.bytes} bytes long, which is more than game servers read`;
  }
}

/** Colours such as `&#ff8800` and `#ff8800` need a setting of the game server. */
const HEX = /&?#[0-9a-f]{6}/i;

/** A message of a plugin as text with `&` codes; null if it is empty. One that cannot be shown as it is is reported. */
export function messageFrom(
  written: string,
  known: Placeholders,
  report: ConversionReport,
  where: string,
): string | null {
  const { text, unknown } = translated(written.replaceAll(/%newline%/gi, '\n').replaceAll('§', '&'), known);
  const shown = text.replaceAll(/[^\P{Cc}\n]|[\u2028\u2029]/gu, ' ').trim();
  if (shown === '' && unknown.length === 0) return null;
  const whyNot = /\[Text="/i.test(written)
    ? 'has parts to click on; write it as a `tellraw` command'
    : unknown.length > 0
      ? `uses ${unknown.join(' and ')}, which only the plugin knows; write the message without it`
      : HEX.test(text)
        ? 'has colours by number, which need gameServers.<name>.version; write the message yourself'
        : faultOf(tellraw('{player}', shown));
  if (whyNot !== null) report.left(where, `the message “${written}” ${whyNot}`);
  return shown;
}

/** A command that shows a message. */
export const tellraw = (to: '{player}' | '@a', message: string): string =>
  `tellraw ${to} ${messageJson(message)}`;
