import { listText } from '../core/list-text.ts';
import { DEFAULT_SITE } from '../core/service-name.ts';
import type { Vote } from '../core/vote.ts';
import { condition } from './condition.ts';

/** Holds for votes of these entries of `sites`. It may also name a service that shares the entry `default`. */
export const site = condition({
  schema: ({ z, distinct, serviceName }) => {
    const oneSite = serviceName.meta({ title: 'site' });
    return z
      .union([oneSite, distinct(oneSite, 1, 100)], {
        error: 'must be a key of `sites`, or a list of such keys',
      })
      .meta({ title: 'site or list of sites' })
      .transform((written) => (typeof written === 'string' ? [written] : written))
      .describe('Only votes on these entries of `sites`. Without it: every vote.');
  },
  example: 'My-List.com',
  holds: (sites, { vote }) => ({ held: isOneOf(sites, vote), because: {} }),
  explain: { held: () => null, notHeld: () => 'not this site' },
  phrase: (sites) => `on ${listText(sites.map(siteText), 'or')}`,
  sites: (sites) => sites,
});

const siteText = (site: string): string =>
  site === DEFAULT_SITE ? 'any site without an entry of its own' : site;

const isOneOf = (sites: readonly string[], vote: Pick<Vote, 'site' | 'service'>): boolean =>
  sites.includes(vote.site) || sites.includes(vote.service);

/** Whether the reward's `site` allows votes of this site. */
export const isForSite = (
  { if: written }: { readonly if: { readonly site?: readonly string[] | undefined } },
  vote: Pick<Vote, 'site' | 'service'>,
): boolean => written.site === undefined || isOneOf(written.site, vote);
