import type { Change } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import { olderByReload } from '../operator/running-config.ts';
import type { Terminal } from '../platform/terminal.ts';
import { type Ask, agreed } from './confirm.ts';
import { olderSentence } from './older-config.ts';

/**
 * Shows other changes in the config, and asks before the reload of an edit applies them too.
 *
 * @param doing begins the question: "Adding a site".
 * @param isOwn whether the edit itself has made this change, so that it needs no question.
 * @throws Problem `usage`, `not-confirmed`
 */
export async function agreeToOtherChanges(
  config: Config,
  doing: string,
  yes: boolean,
  { terminal, ask }: { readonly terminal: Terminal; readonly ask: Ask },
  isOwn: (change: Change) => boolean = () => false,
): Promise<void> {
  const found = await olderByReload(config);
  const older = found.filter(({ changes }) =>
    changes.some((change) => !change.needsRestart && !isOwn(change)),
  );
  if (older.length === 0) return;
  for (const each of older) terminal.err(`note: ${olderSentence(each)}`);
  await agreed(
    terminal,
    ask,
    yes,
    `${doing} reloads the config, which also applies these changes. Continue?`,
  );
}
