import { code, type Html, html, quoted } from '../web/kit.ts';

/** Commands in sentences of other parts, which are for terminals too: `teller reload`. */
const COMMAND = /`([^`]+)`/;

/**
 * A sentence of another part, on a page: begins with a capital letter, and shows commands as code, as they are typed on this
 * machine. It may contain what others wrote.
 */
export const told = (sentence: string, command: string): Html =>
  html`${capitalized(sentence)
    .split(COMMAND)
    .map((part, index) => (index % 2 === 0 ? quoted(part) : code(asTyped(part, command))))}`;

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const asTyped = (text: string, command: string): string => text.replace(/^teller(?= |$)/, command);
