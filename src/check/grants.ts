import { type Finding, ok, warning } from '../core/finding.ts';
import type { Subject } from './subject.ts';

/** What waits for a person, and what waits for Teller. */
export async function checkGrants({ ledger, isRunning }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const { held: allHeld = 0, refused = 0, pending = 0, waiting = 0 } = await ledger.grantStates();
  // What the clock holds is a finding of its own.
  const held = allHeld - (await ledger.clock()).held;
  const findings: Finding[] = [];
  if (held > 0) {
    const sentence = `${grants(held)} held: a command may have run, the game server is another one now, or a restore left open whether it was paid`;
    findings.push(
      warning(
        'grants-stuck',
        sentence,
        '`teller grants --state held`, then `teller grants ran`, `pay` or `mark-paid`',
      ),
    );
  }
  if (refused > 0) {
    const sentence = `${grants(refused)} refused by the game server`;
    findings.push(
      warning(
        'grants-stuck',
        sentence,
        '`teller grants --state refused`, correct the reward, then `teller grants pay --rerender`',
      ),
    );
  }
  if (!isRunning && pending + waiting > 0) {
    findings.push(
      warning(
        'not-running',
        `${grants(pending + waiting)} to be paid, and no Teller is running`,
        '`teller run`',
      ),
    );
  }
  if (findings.length > 0) return findings;
  return [
    ok('grants', `no grant waits for a person; ${pending} pending, ${waiting} waiting for their players`),
  ];
}

const grants = (count: number): string => (count === 1 ? '1 grant is' : `${count} grants are`);
