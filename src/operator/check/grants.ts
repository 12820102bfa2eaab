import { type Finding, ok, warning } from '../../core/finding.ts';
import type { Ledger, StuckGroup } from '../../ledger/ledger.ts';
import { commandWays } from '../trace/grant-ways.ts';
import { stuckWords } from '../trace/stuck-words.ts';
import type { Subject } from './subject.ts';

/** So many grants that need a decision are looked at, the latest first. */
const LOOK_AT = 5_000;

/** Grants that need a decision of the operator. */
export async function checkGrants({ ledger }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const { refused = 0, pending = 0, waiting = 0 } = await ledger.grantStates();
  const findings = [...(await heldFindings(ledger)), ...refusedFindings(refused)];
  if (findings.length > 0) return findings;
  return [
    ok('grants', `no grant needs a decision; ${pending} pending, ${waiting} waiting for their players`),
  ];
}

const TO_DO_HELD = 'see `teller grants --state held`, then `teller grants ran`, `pay` or `mark-paid`';

/** By game server. Those that are held because of the clock have a finding of their own. */
async function heldFindings(ledger: Ledger): Promise<Finding[]> {
  const { groups, hasMore } = await ledger.stuckGroups({ state: 'held' }, { limit: 1, lookAt: LOOK_AT });
  const held = groups.filter(({ reason }) => reason !== 'clock-doubt');
  return [...new Set(held.map(({ server }) => server))].map((server) => {
    const groupsThere = held.filter((group) => group.server === server);
    const count = groupsThere.reduce((sum, group) => sum + group.count, 0);
    const number = hasMore ? `at least ${grants(count)}` : grants(count);
    const sentence = `${server}: ${number} held. ${whyHeld(groupsThere)}`;
    return warning('grants-stuck', sentence, TO_DO_HELD, { kind: 'pay-held', server });
  });
}

/** With the number that each reason holds, if there are several. */
const whyHeld = (groups: readonly StuckGroup[]): string =>
  groups
    .map((group) => {
      const { title } = stuckWords(group, true, commandWays);
      const why = `${title}${group.reason === null ? '' : ` [${group.reason}]`}`;
      return groups.length === 1 ? why : `${group.count.toLocaleString('en')}: ${why}`;
    })
    .join('. ');

const refusedFindings = (refused: number): Finding[] =>
  refused === 0
    ? []
    : [
        warning(
          'grants-stuck',
          `${grants(refused)} refused by the game server`,
          'see `teller grants --state refused`, correct the reward, then `teller grants pay --rerender`',
        ),
      ];

const grants = (count: number): string =>
  count === 1 ? '1 grant is' : `${count.toLocaleString('en')} grants are`;
