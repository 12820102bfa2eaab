import { capitalized } from '../../core/capitalized.ts';
import { Problem } from '../../core/problem.ts';
import type { Control } from '../../operator/control/control.ts';
import type { Ending } from '../../web/show.ts';

export const done = (text: string): Ending => ({ tone: 'good', text });

export const refused = (code: string, text: string): Ending => ({
  tone: 'bad',
  code,
  text: capitalized(text),
});

/** A Problem is a refusal. */
export async function ended<Result>(action: () => Promise<Result>): Promise<Result | Ending> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Problem) return refused(error.code, error.message);
    throw error;
  }
}

/** Why an edit would also apply other changes of the file; null if it would not. */
export async function differsFromFile(control: Pick<Control, 'compare'>): Promise<Ending | null> {
  const compared = await control.compare();
  if (compared.kind === 'refused')
    return refused(
      compared.problem.code,
      'The config file has faults, so nothing was written. Correct it first.',
    );
  if (compared.changes.length === 0) return null;
  const keys = compared.changes.map(({ key }) => key).join(', ');
  return refused(
    'config-older',
    `The config file has changes that do not run yet (${keys}), and a reload would apply them too. Reload it first, then try again.`,
  );
}
