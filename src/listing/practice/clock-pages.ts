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
 * Open to everyone who can reach the site: practice is on loopback, and a tester's script has no session. A page of
 * another site can send neither our form nor JSON (rule 12).
 *
 * @param moved called after the clock was moved, to look for work that is due now.
 */
export function practiceClockPages(clock: PracticeClock, moved: () => void): Hono<PageEnv<Account>> {
  const pages = new Hono<PageEnv<Account>>();
  const clockJson = () => ({ now: isoTime(clock.now()), offsetMs: clock.offsetMs });
  pages.get(PRACTICE_CLOCK_PATH, (c) =>
    showPage(c, { ...page(clock, freshForm, c.var.visit.csrf), json: clockJson() }),
  );
  pages.post(PRACTICE_CLOCK_PATH, async (c) => {
    const { entered, visit } = c.var;
    const isScript = entered.csrf === undefined;
    const byMs = durationIn(isScript ? await advanceIn(c.req.raw) : entered.advance?.[0]);
    const fault = await advance(clock, byMs);
    if (byMs === null || fault !== null) {
      const faults = { advance: fault ?? FAULT };
      if (isScript) return c.json(formFaults(faults), 422);
      return showPage(c, { ...page(clock, { entered, faults }, visit.csrf), json: formFaults(faults) }, 422);
    }
    moved();
    if (isScript) return c.json(clockJson());
    return seeOther(c, PRACTICE_CLOCK_PATH, {
      tone: 'good',
      text: `The clock moved forward by ${durationText(byMs)}, for every part of this process.`,
      json: clockJson(),
    });
  });
  return pages;
}

/** All times on the pages use the moved clock: a vote from a minute ago can be shown as "6 days ago". */
export const practiceNotice = (clock: PracticeClock | null): Html | null =>
  clock === null || clock.offsetMs === 0
    ? null
    : html`The <a href="${PRACTICE_CLOCK_PATH}">practice clock</a> is ${durationText(clock.offsetMs)} ahead of real time:
        it is ${clockText(clock.now())} on these pages.`;

const FAULT = 'Enter a duration of up to 366d, such as 30m, 12h, 24h or 7d.';

const TOO_FAR =
  'The clock can be at most ten years ahead of real time. To start over, stop the service and delete its data folder.';

/** Moves the clock. Returns what was wrong, or null. */
async function advance(clock: PracticeClock, byMs: number | null): Promise<string | null> {
  if (byMs === null) return FAULT;
  return (await clock.advance(byMs)) ? null : TOO_FAR;
}

/** The duration of one step; null if the text is not a valid one. */
function durationIn(text = ''): number | null {
  const byMs = parseDuration(text);
  return byMs === null || byMs === 0 || byMs > MOST_MS ? null : byMs;
}

/** Reads `{"advance":"24h"}`; undefined for any other body. */
async function advanceIn(request: Request): Promise<string | undefined> {
  const body = (await request.json().catch(() => null)) as { advance?: unknown } | null;
  return typeof body?.advance === 'string' ? body.advance : undefined;
}

const page = (clock: PracticeClock, state: FormState, csrf: string): Page => ({
  title: 'Practice clock',
  lead: 'Moves time forward for the listing service and the listener in the same process. It can’t be moved back.',
  narrow: true,
  refused: refusedForm(state.faults),
  body: [
    card({
      body: facts([
        ['Current time', instant(clock.now())],
        ['Ahead of real time', clock.offsetMs === 0 ? 'Not moved' : durationText(clock.offsetMs)],
      ]),
    }),
    card({
      title: 'Move forward',
      note: 'Voting windows end and retries fall due. Connection timeouts don’t change.',
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
            hint: 'For example, 90m.',
          }),
          submit: submitButton('Move', 'quiet'),
        }),
      ],
    }),
  ],
});
