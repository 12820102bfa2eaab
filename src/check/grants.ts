import { type Finding, ok, warning } from '../core/finding.ts';
import type { Subject } from './subject.ts';

/** Grants that need a decision of the operator, and grants that wait for a running Teller. */
export async function checkGrants({ ledger, isRunning }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const { held: allHeld = 0, refused = 0, pending = 0, waiting = 0 } = await ledger.grantStates();
  // Grants that are held because of the clock have a finding of their own.
  const held = allHeld - (await ledger.clock()).held;
  const findings: Finding[] = [];
  if (held > 0) {
    const sentence = `${grants(held)} held, because a command may have run, the game server was replaced, or a restore left it open`;
    findings.push(
      warning(
        'grants-stuck',
        sentence,
        'see `teller grants --state held`, then `teller grants ran`, `pay` or `mark-paid`',
      ),
    );
  }
  if (refused > 0) {
    const sentence = `${grants(refused)} refused by the game server`;
    findings.push(
      warning(
        'grants-stuck',
        sentence,
        'see `teller grants --state refused`, correct the reward, then `teller grants pay --rerender`',
      ),
    );
  }
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

const grants = (count: number): string => (count === 1 ? '1 grant is' : `${count} grants are`);
