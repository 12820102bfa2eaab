import type { Random } from '../core/random.ts';
import type { Page, PageStatus } from './layout.ts';

/** The page that answers a form, such as the form itself with what was typed and what is wrong with it. */
export interface FormAnswer {
  readonly page: Page;
  readonly status: PageStatus;
}

/** Of all people. Who comes back to an older one sees the page without it. */
const KEPT_MAX = 200;
const ID_BYTES = 16;

/** The part of the query that names an answer. */
export const ANSWER = 'answer';

/**
 * Pages that answered forms, in memory. The browser is led to each of them, so that reloading it does not send the form
 * again, and so that it has the address of a page, which keeps itself up to date.
 */
export class FormAnswers {
  private readonly kept = new Map<string, FormAnswer & { readonly session: string }>();

  constructor(private readonly random: Random) {}

  /** @param session whose form it was: nobody else sees it. @returns its ID. */
  keep(session: string, answer: FormAnswer): string {
    const id = this.random.bytes(ID_BYTES).toString('base64url');
    this.kept.set(id, { ...answer, session });
    for (const oldest of [...this.kept.keys()].slice(0, -KEPT_MAX)) this.kept.delete(oldest);
    return id;
  }

  find(session: string, id: string): FormAnswer | null {
    const found = this.kept.get(id);
    if (found?.session !== session) return null;
    if (found.page.isShownOnce) this.kept.delete(id);
    return found;
  }
}
