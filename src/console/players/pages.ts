import { Hono } from 'hono';
import type { Ledger } from '../../ledger/ledger.ts';
import { explain } from '../../operator/explain.ts';
import { answerFor } from '../../operator/player/answer.ts';
import { findPlayers } from '../../operator/player/find-players.ts';
import { playerView } from '../../operator/player/player-view.ts';
import { seeOther, showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { playerPage } from './page.ts';
import { searchPage } from './search.ts';

const VOTES_SHOWN = 10;
const NAME_MOST = 100;
const LATEST_SHOWN = 24;
/** Some players vote on several sites one after another. */
const LATEST_SEARCHED = 200;

/** Players, found by any spelling, and one player. */
export function playersPages({ teller, clock, command }: ConsoleParts): Hono<ConsoleEnv> {
  const { ledger } = teller;
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.players, async (c) => {
    const asked = (c.req.query('name') ?? '').trim().slice(0, NAME_MOST);
    const found = asked === '' ? null : await findPlayers(asked, ledger, teller.config);
    const [only] = found?.exact ?? [];
    if (only !== undefined && found?.beginning.length === 0) return seeOther(c, paths.player(only));
    const latest = found === null ? await latestVoters(ledger) : [];
    return showPage(c, searchPage({ asked, found, latest }));
  });
  pages.get(`${paths.players}/:name`, async (c) => {
    const { config } = teller;
    const now = clock.now();
    const name = c.req.param('name').slice(0, NAME_MOST);
    // Together, because each question that waits for the one before costs a trip to the ledger's reader.
    const [view, explanation] = await Promise.all([
      playerView(name, ledger, config, now),
      explain(name, VOTES_SHOWN, ledger, config, { clock, isRunning: true }),
    ]);
    const answer = answerFor(explanation, now);
    const { queues, pauses } = explanation;
    const shown = { config, queues, pauses, bytes: false, now };
    return showPage(c, playerPage({ view, explanation, answer, shown, command }));
  });
  return pages;
}

/** The players who voted last, the latest first. */
async function latestVoters(ledger: Ledger): Promise<readonly string[]> {
  const votes = await ledger.votes({ limit: LATEST_SEARCHED });
  const names = votes.flatMap(({ player }) => (player === null ? [] : [player]));
  return [...new Set(names)].slice(0, LATEST_SHOWN);
}
