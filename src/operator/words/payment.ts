import { ANNOUNCED_FOR_MS, type AnnouncementRules } from '../../core/announcement.ts';
import { durationWords } from '../../core/duration.ts';
import { NO_TERMS } from '../../core/grant-terms.ts';
import { countText, listText } from '../../core/list-text.ts';
import { poolOf } from '../../core/pool.ts';
import type { Reward } from '../../rewards/reward.ts';

/** How the grants of a reward are paid, in sentences. */
export const paymentSentences = (reward: Reward): readonly string[] => [
  whenSentence(reward),
  ...termSentences(reward),
  ...announcementSentences(reward.announcement),
  ...(reward.safeToRunTwice
    ? ['A command whose outcome is unknown is run again, instead of being held for you.']
    : []),
];

/** Where and when. Also of parties and tops. */
export function whenSentence({
  when,
  servers,
  whereOnline,
}: Pick<Reward, 'when' | 'servers' | 'whereOnline'>): string {
  if (servers.length === 0) return 'Paid nowhere, because no game server takes commands.';
  if (whereOnline && servers.length > 1)
    return `Paid once, on the one of ${poolOf(servers)} that they are on, or are first on later.`;
  const where = `on ${servers.length === 1 ? '' : 'each of '}${listText(servers, 'and')}`;
  return `Paid ${where} ${when === 'always' ? 'at once' : 'as soon as they are online there'}.`;
}

function termSentences({ terms, announcement }: Reward): readonly string[] {
  const { delayMs, expiresAfterMs } = terms ?? NO_TERMS;
  const isSaid = announcement?.isWhole === true && expiresAfterMs === ANNOUNCED_FOR_MS;
  const from = delayMs === 0 ? '' : ' after that';
  return [
    ...(delayMs === 0 ? [] : [`Not paid earlier than ${durationWords(delayMs)} after the vote.`]),
    ...(expiresAfterMs === null || isSaid
      ? []
      : [`Cancelled if its first command has not been run within ${durationWords(expiresAfterMs)}${from}.`]),
  ];
}

function announcementSentences(announcement: AnnouncementRules | null): readonly string[] {
  if (announcement === null) return [];
  const { isWhole, atMost } = announcement;
  const what = isWhole ? 'It is an announcement' : 'What everyone sees is an announcement';
  return [
    `${what}: sent within ${durationWords(ANNOUNCED_FOR_MS)} or not at all, and only for players who were seen on a game server, unless that game server cannot report who is online.`,
    ...(atMost === null
      ? []
      : [
          `At most ${countText(atMost.count, 'announcement')} in ${durationWords(atMost.withinMs)} on a game server; others are not sent.`,
        ]),
  ];
}
