import { Hono } from 'hono';
import { type Move, type MoveRefusal, movePlayer } from '../../operator/trial/practice-worlds.ts';
import { line, oneOf, readFields } from '../../web/fields.ts';
import { seeOther, showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { testPage } from './page.ts';
import { votePages } from './vote-pages.ts';

/** What an operator tries before players do: a vote, and players who join. */
export function testPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.test, (c) => showPage(c, testPage(parts, c.var.visit.csrf)));
  for (const pagesOf of [votePages, practicePages]) pages.route('/', pagesOf(parts));
  return pages;
}

const MOVES: readonly Move[] = ['join', 'leave'];
const NAME_MAX = 64;

const REFUSALS: Readonly<Record<MoveRefusal, string>> = {
  'not-a-name':
    'No player can have this name. Enter up to 16 characters without spaces, quotes, @, #, ; or slashes.',
  'name-in-use': 'A player with this name is online already. Let them leave first, or enter another name.',
  'not-online': 'The player is not online any more.',
  'no-such-server': 'There is no such practice server any more. Reload the page.',
};

/** Lets players join and leave the practice servers. */
function practicePages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { teller, log } = parts;
  const pages = new Hono<ConsoleEnv>();
  pages.post(paths.practice, (c) => {
    const { entered, visit } = c.var;
    const { practiceServers } = teller;
    const read = readFields(entered, {
      joining: line({ label: 'Name', most: NAME_MAX }),
      world: oneOf('Practice server', [...practiceServers.keys()]),
      move: oneOf('Action', MOVES),
    });
    if (read.kind === 'faults')
      return showPage(c, testPage(parts, visit.csrf, { practice: { entered, faults: read.faults } }), 422);
    const { joining: player, world: server, move } = read.values;
    const refusal = movePlayer(practiceServers, { server, player, move });
    if (refusal !== null && move === 'leave')
      return seeOther(c, paths.test, { tone: 'bad', text: REFUSALS[refusal] });
    if (refusal !== null) {
      const practice = { entered, faults: { joining: REFUSALS[refusal] } };
      return showPage(c, testPage(parts, visit.csrf, { practice }), 422);
    }
    log.info(
      { code: `practice-${move}`, by: visit.person?.id, server, player },
      'a player of a practice server was moved from the console',
    );
    const text = move === 'join' ? `${player} has joined ${server}.` : `${player} has left ${server}.`;
    return seeOther(c, paths.test, { tone: 'good', text });
  });
  return pages;
}
