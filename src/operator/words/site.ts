import type { SiteConfig } from '../../config/config.ts';
import type { Cooldown } from '../../core/cooldown.ts';
import { durationWords } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import { listText } from '../../core/list-text.ts';
import { minuteText } from '../../core/local-time.ts';
import { DEFAULT_SITE } from '../../core/service-name.ts';

/** One entry of `sites` in everyday language, without its secrets (rule 10). */
export interface SiteWords {
  readonly name: string;
  /** What players see as `{site}`; null: the service name. */
  readonly label: string | null;
  /** The page where players vote. */
  readonly url: string | null;
  readonly sentences: readonly string[];
}

export const siteWords = (name: string, site: SiteConfig): SiteWords => ({
  name,
  label: site.label,
  url: site.url,
  sentences: [
    name === DEFAULT_SITE
      ? `All services without an entry of their own share one window: a player is rewarded ${howOften(site.cooldown)}.`
      : `A player is rewarded ${howOften(site.cooldown)}.`,
    ...(site.countsAll ? ['Votes that come sooner are counted in totals too.'] : []),
    ...(site.game === 'minecraft' ? [] : [`Votes name a user ID instead of a player (${site.game}).`]),
    ...acceptedSentences(site),
    ...(site.isFrom === null ? [] : ['Votes are accepted from some networks only.']),
    ...channelSentences(site),
  ],
});

function howOften(cooldown: Cooldown): string {
  if (cooldown.kind === 'span') return `once every ${durationWords(cooldown.ms)}`;
  const { beginsAt, zone } = cooldown;
  return `once a day, which begins at ${minuteText(beginsAt)} in ${zone}`;
}

function acceptedSentences({ protocols, token }: SiteConfig): readonly string[] {
  if (token === null) return ['It has no token, so votes of version 2 are refused.'];
  return protocols === null
    ? []
    : [
        `Only votes of ${listText(
          protocols.map((each) => `version ${each.slice(1)}`),
          'and',
        )} are accepted.`,
      ];
}

const channelSentences = ({ api, webhook }: SiteConfig): readonly string[] => [
  ...(api === null
    ? []
    : [
        `Missed votes are looked for every ${durationWords(api.intervalMs)} at ${api.baseUrl}; those found more than ${durationWords(api.maxAgeMs)} late are not rewarded.`,
        ...(api.payFrom === null ? [] : [`Of those, votes before ${isoTime(api.payFrom)} are not rewarded.`]),
      ]),
  ...(webhook === null ? [] : [`Signed webhooks are received at the path ${webhook.path}.`]),
];
