import { capitalized } from '../core/capitalized.ts';
import { code, type Html, html, withTimes } from '../web/kit.ts';

/** How a command is typed on this machine: `sites` becomes `node dist/cli.js sites --config data/loop/config.json`. */
export type Typed = (words: string) => string;

/** Commands in sentences of other parts, which are for terminals too: `teller reload`. */
const COMMAND = /`([^`]+)`/;

/** What such sentences begin with, besides names, which stay as they are. */
const OWN_WORD =
  /^(?:a|all|an|cannot|days|in|it|its|most|no|nobody|nothing|other|the|there|this|votes|without)(?= |$)/;

/** The same for what to do, which begins with a word of ours, or with a command. */
export const toldToDo = (toDo: string, command: Typed): Html => told(capitalized(toDo), command);

/**
 * A sentence of another part, on a page: begins with a capital letter unless that is a name, and shows commands as code,
 * as they are typed on this machine, and times as people read them. It may contain what others wrote.
 */
export const told = (sentence: string, command: Typed): Html =>
  html`${asSentence(sentence)
    .split(COMMAND)
    .map((part, index) => (index % 2 === 0 ? withTimes(part) : code(asTyped(part, command))))}`;

const asSentence = (text: string): string => text.replace(OWN_WORD, (word) => capitalized(word));

const asTyped = (text: string, command: Typed): string => {
  const [, words] = /^teller (.+)$/.exec(text) ?? [];
  return words === undefined ? text : command(words);
};
