import { durationText } from '../../core/duration.ts';
import { printableJson } from '../../core/printable.ts';
import { SERVICE_NAME_MAX, shownService } from '../../core/service-name.ts';
import type { DoubtfulName, Unlistable } from './add.ts';
import type { KnownList } from './known-lists.ts';

export const unlistableText = ({ name, readAs }: Unlistable): string =>
  readAs === 'default'
    ? '`default` is the entry for all services without their own, so it cannot be added'
    : `${printableJson(name)} cannot have an entry in \`sites\`: the name is longer than ${SERVICE_NAME_MAX} characters, or the config would read it as something else. Its votes stay under \`default\``;

/** Why this name is not simply added. */
export function doubtText(each: DoubtfulName): string {
  if (each.seen?.proof === 'signed') return alikeText(each).trim();
  return `${howItWasSeen(each)}${alikeText(each)} Anyone who has seen the public key can invent service names, and every name in \`sites\` gives each player one more reward a day.`;
}

const howItWasSeen = ({ name, seen }: DoubtfulName): string =>
  seen === null
    ? `No vote with the service name ${shownService(name, 64)} has arrived.`
    : `${shownService(name, 64)} was seen, but has not sent a correctly signed (version 2) vote.`;

/** Begins with a space; empty if no listed name is spelt like it. */
export const alikeText = ({ name, nearly }: DoubtfulName): string =>
  nearly === null
    ? ''
    : ` "${shownService(name, 64)}" is spelt like "${shownService(nearly, 64)}", which is listed: if both are one listing, a player could be rewarded there twice a day.`;

/** What is publicly known about a list. */
export const knownListText = ({ service, domain, windowMs }: KnownList): string =>
  `${service} is known as the list ${domain}${
    windowMs === null ? '' : `, where a player can usually vote once in ${durationText(windowMs)}`
  }`;
