import { countText, listText } from '../core/list-text.ts';
import { occasion } from '../core/occasion.ts';
import { daysOf, periodName, periodOf } from '../core/period.ts';
import { condition } from './condition.ts';
import { sharedPeriods } from './joining.ts';

const MISSING_SHOWN = 3;

/** Holds if the player has voted on all sites, or on enough of them, in one day or week. */
export const allSites = condition({
  schema: ({ z, section, distinct, listedService, wholeNumber }) => {
    const detailed = section({
      atLeast: wholeNumber(1, 100).optional().describe('How many of the sites are enough. Default: all.'),
      sites: distinct(listedService, 1, 100)
        .optional()
        .describe('The sites. Default: every entry of `sites` except `default`.'),
      within: z.enum(['day', 'week']).default('day').describe('The period in which the votes were cast.'),
    }).refine(({ atLeast = 0, sites }) => sites === undefined || atLeast <= sites.length, {
      path: ['atLeast'],
      error: 'must not be more than the number of `sites`',
    });
    return z
      .union([z.literal(true), detailed], { error: 'must be true, or { "atLeast", "sites", "within" }' })
      .transform((written) => (written === true ? { within: 'day' as const } : written))
      .meta({ title: 'true or section' })
      .describe('Paid once a day, or week, when the player has voted on every site.');
  },
  example: true,
  decidedFor: 'marked',
  period: (written) => (written as Written).within,
  holds: (written, { vote, history, listed }) => {
    const { within, sites = listed, atLeast = sites.length } = written as Written;
    const period = periodOf(within, vote.day);
    const voted = history.servicesOn(daysOf(within, period));
    const missing = sites.filter((site) => !voted.has(site));
    const isEnough = isEnoughOf(sites, voted, atLeast);
    if (!isEnough) return { held: false, because: { missing: missing.slice(0, MISSING_SHOWN) } };
    const ways = [[occasion(`${within} ${periodName(within, period)}`)]];
    return { held: true, because: {} as { missing: string[] }, ways };
  },
  passed: (written, { names, startDay, listed }) => {
    const { within, sites = listed, atLeast = sites.length } = written as Written;
    return sharedPeriods(within, { names })
      .filter((period) => {
        const voted = names.map((name) => name.servicesOn(daysOf(within, period)));
        const both = new Set(voted.flatMap((services) => [...services]));
        return isEnoughOf(sites, both, atLeast) && !voted.some((each) => isEnoughOf(sites, each, atLeast));
      })
      .filter((period) => period >= periodOf(within, startDay))
      .map((period) => occasion(`${within} ${periodName(within, period)}`));
  },
  explain: {
    held: () => null,
    notHeld: ({ missing }) =>
      missing.length === 0 ? 'no site to vote on' : `missing: ${missing.join(', ')}`,
  },
  phrase: (written) => {
    const { within, sites, atLeast } = written as Written;
    return `when they have voted on ${sitesText(sites, atLeast)} in one ${within}`;
  },
  sites: (written) => ('sites' in written ? (written.sites ?? []) : []),
});

function sitesText(sites: Written['sites'], atLeast: number | undefined): string {
  if (atLeast === undefined || atLeast === sites?.length)
    return sites === undefined ? 'every site' : listText(sites, 'and');
  if (sites === undefined) return `at least ${countText(atLeast, 'site')}`;
  return `at least ${atLeast} of ${listText(sites, 'and')}`;
}

const isEnoughOf = (sites: readonly string[], voted: ReadonlySet<string>, atLeast: number): boolean =>
  sites.length > 0 && sites.filter((site) => voted.has(site)).length >= atLeast;

interface Written {
  readonly within: 'day' | 'week';
  readonly sites?: readonly string[];
  readonly atLeast?: number;
}
