import { durationText } from '../../core/duration.ts';
import { printableJson } from '../../core/printable.ts';
import { SERVICE_NAME_MAX, shownService } from '../../core/service-name.ts';
import type { Unlistable, UnprovenName } from './add.ts';
import type { KnownList } from './known-lists.ts';

export const unlistableText = ({ name, readAs }: Unlistable): string =>
  readAs === 'default'
    ? '`default` is the entry for all services without their own, so it cannot be added'
    : `${printableJson(name)} cannot have an entry in \`sites\`: the name is longer than ${SERVICE_NAME_MAX} characters, or the config would read it as something else. Its votes stay under \`default\``;

/** Why a name that no signed vote has proven is not simply added. */
export const UNPROVEN_RISK =
  'Anyone who has seen the public key can invent service names, and every name in `sites` gives each player one more reward a day.';

export function howItWasSeen({ name, seen }: UnprovenName): string {
  if (seen === null) return `No vote with the service name ${shownService(name, 64)} has arrived.`;
  const misspelt =
    seen.nearly === null
      ? ''
      : ` It is spelt nearly like "${shownService(seen.nearly, 64)}", which is listed.`;
  return `${shownService(name, 64)} was seen, but has not sent a correctly signed (version 2) vote.${misspelt}`;
}

/** What is publicly known about a list. */
export const knownListText = ({ service, domain, windowMs }: KnownList): string =>
  `${service} is known as the list ${domain}${
    windowMs === null ? '' : `, where a player can usually vote once in ${durationText(windowMs)}`
  }`;
