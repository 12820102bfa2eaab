import { type Finding, warning } from '../../core/finding.ts';
import { pauseText, resumeText } from '../../core/pause.ts';
import type { Subject } from './subject.ts';

/** What the operator has paused, and might have forgotten. */
export async function checkPauses({ ledger }: Subject): Promise<readonly Finding[]> {
  const pauses = (await ledger?.pauses()) ?? [];
  return pauses.map((pause) =>
    warning('paused', pauseText(pause), `\`${resumeText(pause)}\` ends the pause`, {
      kind: 'resume',
      scope: { server: pause.server, reward: pause.reward },
    }),
  );
}
