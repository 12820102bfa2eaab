import { Hono } from 'hono';
import { DAY_MS, parseDuration } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import type { PracticeClock } from '../../runtime/practice-clock.ts';
import {
  actions,
  card,
  clockText,
  durationText,
  type FormState,
  facts,
  form,
  freshForm,
  type Html,
  html,
  inputField,
  instant,
  type Page,
  postButton,
  refusedForm,
  submitButton,
} from '../../web/kit.ts';
import { formFaults, seeOther, showPage } from '../../web/show.ts';
import type { PageEnv } from '../../web/site.ts';
import type { Account } from '../accounts/account.ts';

export const PRACTICE_CLOCK_PATH = '/practice/clock';
const STEPS = ['1h', '12h', '24h', '7d'] as const;
const MOST_MS = 366 * DAY_MS;

/**
 * For everyone who reaches the site: practice is on loopback, and a tester's script has no session. A page of another
 * site can send neither our form nor JSON (rule 12).
 *
 * @param moved what may have fallen due is looked for.
 */
export function practiceClockPages(clock: PracticeClock, moved: () => void): Hono<PageEnv<Account>> {
  const pages = new Hono<PageEnv<Account>>();
  const told = () => ({ now: isoTime(clock.now()), offsetMs: clock.offsetMs });
  pages.get(PRACTICE_CLOCK_PATH, (c) =>
    showPage(c, { ...page(clock, freshForm, c.var.visit.csrf), json: told() }),
  );
  pages.post(PRACTICE_CLOCK_PATH, async (c) => {
    const { entered, visit } = c.var;
    const isScript = entered.csrf === undefined;
    const byMs = durationIn(isScript ? await advanceIn(c.req.raw) : entered.advance?.[0]);
    const fault = advanced(clock, byMs);
    if (byMs === null || fault !== null) {
      const faults = { advance: fault ?? FAULT };
      if (isScript) return c.json(formFaults(faults), 422);
      return showPage(c, { ...page(clock, { entered, faults }, visit.csrf), json: formFaults(faults) }, 422);
    }
    moved();
    if (isScript) return c.json(told());
    return seeOther(c, PRACTICE_CLOCK_PATH, {
      tone: 'good',
      text: `It is ${durationText(byMs)} later now, for every part of this process.`,
      json: told(),
    });
  });
  return pages;
}

/** Every time on the pages is counted from the moved clock: a vote of a minute ago can be "6 days ago". */
export const practiceNotice = (clock: PracticeClock | null): Html | null =>
  clock === null || clock.offsetMs === 0
    ? null
    : html`The <a href="${PRACTICE_CLOCK_PATH}">practice clock</a> is ${durationText(clock.offsetMs)} ahead of real time:
        it is ${clockText(clock.now())} on these pages.`;

const FAULT = 'Say how far, as a duration up to 366d: 30m, 12h, 24h, 7d.';

const TOO_FAR = 'It can be moved ten years ahead in all; remove the data to begin anew.';

/** Moves the clock; what was wrong, or null. */
function advanced(clock: PracticeClock, byMs: number | null): string | null {
  if (byMs === null) return FAULT;
  return clock.advance(byMs) ? null : TOO_FAR;
}

/** How far one step goes, null for none. */
function durationIn(text = ''): number | null {
  const byMs = parseDuration(text);
  return byMs === null || byMs === 0 || byMs > MOST_MS ? null : byMs;
}

/** `{"advance":"24h"}`; anything else is none. */
async function advanceIn(request: Request): Promise<string | undefined> {
  const body = (await request.json().catch(() => null)) as { advance?: unknown } | null;
  return typeof body?.advance === 'string' ? body.advance : undefined;
}

const page = (clock: PracticeClock, state: FormState, csrf: string): Page => ({
  title: 'Practice clock',
  lead: 'Moves the time of the listing service and of the listener beside it. It cannot be moved back.',
  narrow: true,
  refused: refusedForm(state.faults),
  body: [
    card({
      body: facts([
        ['It is now', instant(clock.now())],
        ['Ahead of the real time', clock.offsetMs === 0 ? 'not at all' : durationText(clock.offsetMs)],
      ]),
    }),
    card({
      title: 'Move it forward',
      note: 'Voting windows and rewards come again, retries fall due. Deadlines of connections are not moved.',
      body: [
        actions(
          STEPS.map((step) =>
            postButton({
              action: PRACTICE_CLOCK_PATH,
              csrf,
              label: `+ ${step}`,
              with: { advance: step },
              kind: step === '24h' ? 'primary' : 'quiet',
            }),
          ),
        ),
        form({
          action: PRACTICE_CLOCK_PATH,
          csrf,
          state,
          fields: inputField(state, {
            name: 'advance',
            label: 'Another duration',
            brief: true,
            hint: 'Such as 90m.',
          }),
          submit: submitButton('Move', 'quiet'),
        }),
      ],
    }),
  ],
});
