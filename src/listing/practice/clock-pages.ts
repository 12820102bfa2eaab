import { Hono } from 'hono';
import { isoTime } from '../../core/instant.ts';
import {
  PRACTICE_STEP,
  PRACTICE_TOO_FAR,
  type PracticeClock,
  practiceStep,
} from '../../platform/practice-clock.ts';
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

/**
 * Open to everyone who can reach the site: practice is on loopback, and a tester's script has no session. A page of
 * another site can send neither our form nor JSON (rule 12).
 */
export function practiceClockPages(clock: PracticeClock): Hono<PageEnv<Account>> {
  const pages = new Hono<PageEnv<Account>>();
  const clockJson = () => ({ now: isoTime(clock.now()), offsetMs: clock.offsetMs });
  pages.get(PRACTICE_CLOCK_PATH, (c) =>
    showPage(c, { ...page(clock, freshForm, c.var.visit.csrf), json: clockJson() }),
  );
  pages.post(PRACTICE_CLOCK_PATH, async (c) => {
    const { entered, visit } = c.var;
    const isScript = entered.csrf === undefined;
    const byMs = practiceStep((isScript ? await advanceIn(c.req.raw) : entered.advance?.[0]) ?? '');
    const fault = await advance(clock, byMs);
    if (byMs === null || fault !== null) {
      const faults = { advance: fault ?? FAULT };
      if (isScript) return c.json(formFaults(faults), 422);
      return showPage(c, { ...page(clock, { entered, faults }, visit.csrf), json: formFaults(faults) }, 422);
    }
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

const FAULT = `Enter ${PRACTICE_STEP}.`;

/** Moves the clock. Returns what was wrong, or null. */
async function advance(clock: PracticeClock, byMs: number | null): Promise<string | null> {
  if (byMs === null) return FAULT;
  return (await clock.advance(byMs)) ? null : PRACTICE_TOO_FAR;
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
