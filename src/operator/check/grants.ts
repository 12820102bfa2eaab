import { type Finding, ok, warning } from '../../core/finding.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';
import type { Subject } from './subject.ts';

/** So many grants that need a decision are looked at, the latest first. */
const LOOK_AT = 5_000;

/** Grants that need a decision of the operator, and grants that wait for a running Teller. */
export async function checkGrants({ ledger, isRunning }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const { refused = 0, pending = 0, waiting = 0 } = await ledger.grantStates();
  const findings = [...(await heldFindings(ledger)), ...refusedFindings(refused)];
  if (!isRunning && pending + waiting > 0) {
    findings.push(
      warning(
        'not-running',
        `${grants(pending + waiting)} still to be paid, but no Teller is running`,
        'start it: `teller run`',
      ),
    );
  }
  if (findings.length > 0) return findings;
  return [
    ok('grants', `no grant needs a decision; ${pending} pending, ${waiting} waiting for their players`),
  ];
}

const WHY_HELD = 'because a command may have run, the game server was replaced, or a restore left it open';

const TO_DO_HELD = 'see `teller grants --state held`, then `teller grants ran`, `pay` or `mark-paid`';

/** By game server. Those that are held because of the clock have a finding of their own. */
async function heldFindings(ledger: LedgerReader): Promise<Finding[]> {
  const { groups, hasMore } = await ledger.stuckGroups({ state: 'held' }, { limit: 1, lookAt: LOOK_AT });
  const held = new Map<string, number>();
  for (const { server, reason, count } of groups)
    if (reason !== 'clock-doubt') held.set(server, (held.get(server) ?? 0) + count);
  return [...held].map(([server, count]) => {
    const number = hasMore ? `at least ${grants(count)}` : grants(count);
    const fix = { kind: 'pay-held', server } as const;
    return warning('grants-stuck', `${server}: ${number} held, ${WHY_HELD}`, TO_DO_HELD, fix);
  });
}

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
