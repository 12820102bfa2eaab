import { SERVICE_NAME_MAX, serviceNameOf } from '../../core/service-name.ts';
import type { Options } from '../options.ts';

export interface Conditions {
  readonly conditions: Readonly<Record<string, unknown>>;
  readonly services: readonly string[];
  /** Why the reward cannot be converted: without its matcher it would be paid to others as well. */
  readonly blocked: string | null;
}

const PERMISSION = 'Teller cannot ask a permission plugin; write the reward with `payIf` and a tag';
const WORLD = 'write the reward with `payIf` and `dimension`';

const BLOCKING: Readonly<Record<string, string>> = {
  permission: PERMISSION,
  group: PERMISSION,
  groups: PERMISSION,
  world: WORLD,
  worlds: WORLD,
  script: 'Teller runs no programs of a config; write the reward with conditions',
};

/** The matchers of an `if`, as they are named in RewardMatchers.java of SuperbVote 0.5.5. */
export function conditionsIn(matchers: Options): Conditions {
  const [at, every] = [matchers.number('cumulative-votes'), matchers.number('every-cumulative-votes')];
  const written = [...matchers.texts('service'), ...matchers.texts('services')].map(serviceNameOf);
  const services = [...new Set(written)];
  const chance = chanceIn(matchers);
  const isDouble = at !== null && every !== null;
  const blocked = blockedBy(matchers, isDouble) ?? invalid([at, every].filter(isNumber), chance, services);
  if (matchers.flag('default', false)) return { conditions: {}, services: [], blocked: null };
  const [only] = services;
  return {
    conditions: {
      ...(only === undefined ? {} : { site: services.length === 1 ? only : services }),
      ...(at === null ? (every === null ? {} : { votes: { every } }) : { votes: { at: [at] } }),
      ...(chance === 1 ? {} : { chance: `${Number((chance * 100).toFixed(6))}%` }),
    },
    services: blocked === null ? services : [],
    blocked,
  };
}

const isNumber = (value: number | null): value is number => value !== null;

/** From 0 to 1. */
function chanceIn(matchers: Options): number {
  const percentage = matchers.number('chance-percentage');
  const among = matchers.number('chance-fractional');
  return (percentage === null ? 1 : percentage / 100) * (among === null ? 1 : 1 / among);
}

function invalid(votes: readonly number[], chance: number, services: readonly string[]): string | null {
  const isCount = votes.every((count) => Number.isInteger(count) && count >= 1 && count <= 1_000_000_000);
  if (!isCount) return 'its number of votes is none';
  if (!(chance >= 1e-8 && chance <= 1)) return 'its chance is not above 0 and up to 100';
  const isName = (name: string) => name !== '' && name !== 'default' && name.length <= SERVICE_NAME_MAX;
  return services.length <= 100 && services.every(isName) ? null : 'it has a service name that none can have';
}

function blockedBy(matchers: Options, isDouble: boolean): string | null {
  for (const [key, why] of Object.entries(BLOCKING)) {
    if (matchers.texts(key).length > 0) return `it depends on ${key}: ${why}`;
  }
  if (isDouble) return 'it has two matchers for the number of votes; write it with `any`';
  const [unknown] = matchers.unread().filter((path) => !path.endsWith('.default'));
  return unknown === undefined ? null : `the matcher ${unknown.replace(/^.*\.if\./, '')} is not known`;
}
