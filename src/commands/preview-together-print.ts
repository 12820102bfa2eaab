import { printable } from '../core/printable.ts';
import type { PartyPreview, TogetherPreview, TopPreview } from '../operator/preview/together.ts';
import type { Terminal } from '../platform/terminal.ts';

/** What a previewed vote would add to what players earn together. */
export function printTogetherPreview(terminal: Terminal, { parties, tops }: TogetherPreview): void {
  if (parties.length + tops.length === 0) return;
  terminal.out('  together with others');
  for (const party of parties) terminal.out(`    ${party.party}: ${partyText(party)}`);
  for (const top of tops) terminal.out(`    ${top.top}: ${topText(top)}`);
}

const PAID: Readonly<Record<PartyPreview['for'], string>> = {
  voters: 'those whose votes made it are paid',
  online: 'those who are online are paid',
  once: 'its commands are run',
};

/** `3 left of 25 until party 12; this vote counts, then 2 are left` */
function partyText({ for: paid, every, number, left, leftAfter, reason }: PartyPreview): string {
  const now = `${left} left of ${every} until party ${number}`;
  if (leftAfter === null) return `${now}; this vote does not count: ${reason}`;
  return leftAfter === 0
    ? `${now}; this vote reaches it, and ${PAID[paid]}`
    : `${now}; this vote counts, then ${leftAfter} ${leftAfter === 1 ? 'is' : 'are'} left`;
}

/** `2026-11, 4th with 12, 3 behind Alex; this vote makes it 3rd with 13` */
function topText({ period, isSettled, place, votes, ahead, after, uncounted }: TopPreview): string {
  const where = place === null ? 'no place yet' : `${ordinal(place)} with ${votes}`;
  const behind = ahead === null || isSettled ? '' : `, ${behindText(ahead, votes)}`;
  const effect =
    after === null
      ? `this vote does not count: ${uncounted ?? 'no prize can be paid'}`
      : `this vote makes it ${ordinal(after.place)} with ${after.votes}`;
  return `${period}, ${where}${behind}; ${effect}`;
}

const behindText = ({ player, votes: theirs }: { player: string; votes: number }, own: number): string =>
  theirs === own
    ? `as many as ${printable(player, 40)}, who had them earlier`
    : `${theirs - own} behind ${printable(player, 40)}`;

const plural = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** `1st`, `22nd`, `113th` */
export const ordinal = (place: number): string => `${place}${ENDINGS[plural.select(place)] ?? 'th'}`;
