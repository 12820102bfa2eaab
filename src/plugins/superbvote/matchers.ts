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
  const { votes, isDouble } = votesIn(matchers);
  const services = [...matchers.texts('service'), ...matchers.texts('services')];
  const chance = chanceIn(matchers);
  const blocked = blockedBy(matchers, isDouble);
  const isDefault = matchers.flag('default', false);
  if (isDefault) return { conditions: {}, services: [], blocked: null };
  const [only] = services;
  return {
    conditions: {
      ...(only === undefined ? {} : { site: services.length === 1 ? only : services }),
      ...(votes === null ? {} : { votes }),
      ...(chance === null ? {} : { chance }),
    },
    services,
    blocked,
  };
}

function votesIn(matchers: Options): { readonly votes: object | null; readonly isDouble: boolean } {
  const at = matchers.number('cumulative-votes');
  const every = matchers.number('every-cumulative-votes');
  const votes = at !== null ? { at: [at] } : every !== null ? { every } : null;
  return { votes, isDouble: at !== null && every !== null };
}

function chanceIn(matchers: Options): string | null {
  const percentage = matchers.number('chance-percentage');
  const among = matchers.number('chance-fractional');
  const share = (percentage === null ? 1 : percentage / 100) * (among === null ? 1 : 1 / among);
  return share === 1 ? null : `${Number((share * 100).toFixed(6))}%`;
}

function blockedBy(matchers: Options, isDouble: boolean): string | null {
  for (const [key, why] of Object.entries(BLOCKING)) {
    if (matchers.texts(key).length > 0) return `it depends on ${key}: ${why}`;
  }
  if (isDouble) return 'it has two matchers for the number of votes; write it with `any`';
  const [unknown] = matchers.unread();
  return unknown === undefined ? null : `the matcher ${unknown.replace(/^.*\.if\./, '')} is not known`;
}
